package engine

import "syscall"

// dieWithParent has the kernel end the server when the thread that started it
// is gone, which covers this process being killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
