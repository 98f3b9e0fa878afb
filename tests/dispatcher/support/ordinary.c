/* SPDX-License-Identifier: MIT
 *
 * A shared library like any other, with nothing for a GPU in it.
 */
int answer(void);
int answer(void) { return 42; }
