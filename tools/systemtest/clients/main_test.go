package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Use() // for the programs that tests start
	goleak.VerifyTestMain(m)
}

// lack ends a test whose requirements the machine lacks.
func lack(t testing.TB, err error) {
	t.Helper()
	fulltest.Missing(t, err)
}

// script runs a shell script and returns its output.
func script(ctx context.Context, path string, args ...string) (stdout string, err error) {
	var diag bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", append([]string{path}, args...)...)
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", path, err, diag.Bytes())
	}
	return strings.TrimSpace(string(out)), err
}

var install = sync.OnceValue(func() error {
	if _, err := os.Stat("node_modules/.installed"); err != nil && !fulltest.Wanted() {
		return fmt.Errorf("the clients are not installed (%w): \"make clients\" installs them", err)
	}
	_, err := script(context.Background(), "install.sh")
	return err
})

var browser = sync.OnceValues(func() (string, error) {
	if !fulltest.Wanted() {
		return script(context.Background(), "../../../internal/local/chromium/install.sh", "--find")
	}
	return script(context.Background(), "../../../internal/local/chromium/install.sh")
})

// clientLimit is how long a client may take. It ends clients that hang.
const clientLimit = 3 * time.Minute

// node runs a script of Node.js with the packages that are installed here and
// reads what it prints.
func node(t *testing.T, result any, stdin []byte, script string, args ...string) {
	t.Helper()
	if err := install(); err != nil {
		lack(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s%s", script, err, out.Bytes(), diag.Bytes())
	}
	if err := json.Unmarshal(out.Bytes(), result); err != nil {
		t.Fatalf("node %s printed %q: %v", script, out.Bytes(), err)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
