package process_test

import (
	"bytes"
	"os/exec"
	"testing"

	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/process"
	"tapedeck/internal/fulltest"
)

// With Terminal the command writes to a terminal, and every byte is forwarded and recorded as the
// command wrote it, up to its end.
func TestTerminal(t *testing.T) {
	m := &ingesttest.Memory{}
	var passed bytes.Buffer
	r, err := record(t, m, process.Options{
		Command:  shell(`test -t 1 && printf 'terminal\n'; printf 'a\r\nb\tc\001\n'; seq 1 5000; exit 3`),
		Stdout:   &passed,
		Terminal: true,
	})
	if err != nil || r.ExitCode != 3 {
		t.Fatalf("exit %d, %v", r.ExitCode, err)
	}
	want := "terminal\na\r\nb\tc\x01\n1\n2\n"
	if !bytes.HasPrefix(passed.Bytes(), []byte(want)) || !bytes.HasSuffix(passed.Bytes(), []byte("\n4999\n5000\n")) {
		t.Errorf("forwarded %d bytes, %q…", passed.Len(), passed.Bytes()[:min(passed.Len(), 60)])
	}
	if r.Output != int64(passed.Len()) || r.Recorded != r.Output || r.Frames != 5003 {
		t.Errorf("output %d, recorded %d bytes in %d frames", r.Output, r.Recorded, r.Frames)
	}
}

// A program that holds its lines back for a pipe writes each at once to a terminal, so that frames
// do not share a read.
func TestTerminalSeparatesLines(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil {
		fulltest.Missing(t, "perl: ", err)
	}
	const script = `for (1..4) { print "$_\n"; select(undef, undef, undef, 0.2) }`
	for terminal, joined := range map[bool]uint64{false: 3, true: 0} {
		r, err := record(t, &ingesttest.Memory{}, process.Options{Command: []string{"perl", "-e", script},
			Stdout: &bytes.Buffer{}, Terminal: terminal})
		if err != nil || r.Frames != 4 || r.Joined != joined {
			t.Errorf("terminal %v: %d frames, %d joined, want %d; %v", terminal, r.Frames, r.Joined, joined, err)
		}
	}
}
