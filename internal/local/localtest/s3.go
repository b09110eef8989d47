package localtest

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
)

// S3KeyID is the key id that the storage of S3 accepts, with any secret.
const S3KeyID = "tester"

// S3 starts an S3-compatible storage in memory and returns the URL of its bucket, with a slash at
// the end. It answers each request after delay. The storage is a program of another module, which is
// built in a full run only; otherwise the test is skipped.
func S3(t testing.TB, delay time.Duration) (bucket string) {
	t.Helper()
	if !fulltest.Wanted() {
		t.Skip("the S3 storage is built in a full run only: TAPEDECK_TEST_FULL=1")
	}
	root, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	program := filepath.Join(t.TempDir(), "s3")
	source := filepath.Join(strings.TrimSpace(string(root)), "tools", "s3")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", source, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the S3 storage: %v\n%s", err, out)
	}
	cmd := exec.Command(program, "-delay", delay.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address) + "/backups/"
}
