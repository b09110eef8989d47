package engine

import "syscall"

// dieWithParent returns nil, since macOS has no parent-death signal. If this process is killed, the
// server keeps running until it is ended manually.
func dieWithParent() *syscall.SysProcAttr { return nil }
