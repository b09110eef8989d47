package engine

import "syscall"

// dieWithParent makes the kernel end the server when the thread that started it ends, which
// includes a kill of this process.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
