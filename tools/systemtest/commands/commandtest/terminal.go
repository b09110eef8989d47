package commandtest

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"tapedeck/internal/bounded"
	"tapedeck/internal/syncbuffer"
)

// OnTerminal runs a command on a terminal of its own, where it types input after the command has
// shown prompt ("": at once). It returns all that the command sent to the terminal, and the exit
// code.
func OnTerminal(t *testing.T, cmd *exec.Cmd, prompt, input string) (shown string, exit int) {
	t.Helper()
	keyboard, line, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = line, line, line
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line.Close()
	out, read := &syncbuffer.Output{}, make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for { // the kernel reports an error when the command has ended
			n, err := keyboard.Read(buf)
			_, _ = out.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	if prompt != "" {
		bounded.Until(t, "the command to show "+prompt, func() bool { return strings.Contains(out.String(), prompt) })
	}
	if input != "" {
		if _, err := keyboard.WriteString(input); err != nil {
			t.Fatal(err)
		}
	}
	_ = bounded.Command(t, cmd) // its exit code is returned
	bounded.Receive(t, read)
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}
