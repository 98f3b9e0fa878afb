#!/bin/sh
exec cat "${0}.runfiles/{found}"
