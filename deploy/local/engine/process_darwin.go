package engine

import "syscall"

// dieWithParent has nothing to offer here: macOS has no parent-death signal. If
// this process is killed by hand, the server stays until it is ended by hand.
func dieWithParent() *syscall.SysProcAttr { return nil }
