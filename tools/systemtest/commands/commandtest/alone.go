package commandtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"tapedeck/internal/local/programtest"
)

// A file that describes a dialect, and a stream in that dialect.
const (
	AcmeFile   = "../../../../docs/dialects/custom/acme.yaml"
	AcmeStream = "../../../../docs/dialects/custom/acme.ndjson"
)

// Contains checks that an output contains each of some texts. what names the output.
func Contains(t *testing.T, what, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(out, want) {
			t.Errorf("%s does not say %q:\n%s", what, want, out)
		}
	}
}

// Alone runs a command without a server.
func Alone(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programtest.Path(t), args...)
	cmd.Env = append(os.Environ(), "TAPEDECK_SERVER=127.0.0.1:1", "XDG_STATE_HOME="+t.TempDir())
	return Finish(t, cmd)
}
