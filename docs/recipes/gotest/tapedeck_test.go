package agent

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// emulate plays a recording on a free port until the test ends, and returns the
// address to point a client at.
func emulate(t *testing.T, protocol, recording string) string {
	t.Helper()
	cmd := exec.Command("tapedeck", "emulate", protocol, recording,
		"--speed", "max", "--end", "stop", "--listen", "127.0.0.1:0", "--json", "--exit-with", "stdin")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // it exits with the test, however that ends
		if err := cmd.Wait(); err != nil {
			t.Errorf("tapedeck emulate: %v", err)
		}
	})
	var ready struct{ URL string }
	if err := json.NewDecoder(stdout).Decode(&ready); err != nil {
		t.Fatalf("tapedeck emulate did not start: %v", err)
	}
	return ready.URL
}
