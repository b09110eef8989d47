package docker

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tapedeck/internal/fulltest"
)

// TestComposeReadsIt has the library of docker compose read the file, with its schema, and
// compares the merged parts and the values of variables.
func TestComposeReadsIt(t *testing.T) {
	fulltest.Long(t)
	program := filepath.Join(t.TempDir(), "compose")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../../tools/compose", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "docker-compose.yml")
	cmd.Env = append(os.Environ(), "TAPEDECK_DEMO=false", "TAPEDECK_PORT=4700")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		Services map[string]struct {
			Command     []string
			Environment map[string]string
			ReadOnly    bool `json:"read_only"`
			Ports       []struct{ Published, HostIP string }
		}
	}
	if err := json.Unmarshal(out, &project); err != nil {
		t.Fatal(err)
	}
	s := project.Services["tapedeck"]
	if s.Environment["TAPEDECK_DEMO"] != "false" || s.Environment["TAPEDECK_NATS"] == "" || !s.ReadOnly || len(s.Command) != 5 {
		t.Errorf("%+v", s)
	}
	if len(s.Ports) != 1 || s.Ports[0].Published != "4700" {
		t.Errorf("ports %+v", s.Ports)
	}
	if len(project.Services) != len(compose(t).Services) {
		t.Errorf("%d services", len(project.Services))
	}
}
