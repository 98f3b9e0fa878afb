#!/bin/sh
exec cat "${0}.runfiles/_main/{found}"
