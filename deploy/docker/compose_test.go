package docker

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tapedeck/internal/app/auth/access"
)

// service holds the settings of a service that the tests read.
type service struct {
	Image       string
	User        string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
	Memory      string   `yaml:"mem_limit"`
	CPUs        float64  `yaml:"cpus"`
	PIDs        int      `yaml:"pids_limit"`
	Restart     string
	Environment map[string]string
	Ports       []string
	Volumes     []string
	Secrets     []any
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck struct {
		Test    []string
		Disable bool
	}
}

type composeFile struct {
	Services map[string]service
	Volumes  map[string]any
	Secrets  map[string]struct{ File string }
}

func compose(t *testing.T) (file composeFile) {
	t.Helper()
	text, err := os.ReadFile("docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// Every container has limits, a health check, a user other than root and a read-only file system.
func TestContainersAreConfined(t *testing.T) {
	for name, s := range compose(t).Services {
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s is not confined: %+v", name, s)
		}
		if s.Memory == "" || s.CPUs == 0 || s.PIDs == 0 || s.Restart == "" {
			t.Errorf("%s has no limits", name)
		}
		if _, tag, _ := strings.Cut(s.Image, ":"); tag == "" || tag == "latest" {
			t.Errorf("%s: the image %s has no version", name, s.Image)
		}
		once := name == "nats-volume" || name == "tapedeck-migrate" // they end
		if once != s.Healthcheck.Disable || !once && len(s.Healthcheck.Test) < 2 {
			t.Errorf("%s: health check %+v", name, s.Healthcheck)
		}
		if root := !regexp.MustCompile(`^[1-9][0-9]*:[0-9]+$`).MatchString(s.User); root != (name == "nats-volume") {
			t.Errorf("%s runs as %q", name, s.User)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: the port %s is open to the network", name, port)
			}
		}
	}
}

// Everything that a service names is there.
func TestReferences(t *testing.T) {
	file := compose(t)
	for name, s := range file.Services {
		for other, on := range s.DependsOn {
			if _, ok := file.Services[other]; !ok || other == name {
				t.Errorf("%s depends on %s", name, other)
			}
			if on.Condition == "service_healthy" && file.Services[other].Healthcheck.Disable {
				t.Errorf("%s waits for the health of %s, which has no check", name, other)
			}
		}
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if _, named := file.Volumes[source]; named {
				continue
			}
			if _, err := os.Stat(source); err != nil {
				t.Errorf("%s mounts %v", name, err)
			}
		}
		for _, secret := range s.Secrets {
			source, _ := secret.(string)
			if long, ok := secret.(map[string]any); ok {
				source, _ = long["source"].(string)
			}
			if _, ok := file.Secrets[source]; !ok {
				t.Errorf("%s: there is no secret %q", name, source)
			}
		}
		for key, value := range s.Environment {
			if path, ok := strings.CutPrefix(value, "/run/secrets/"); ok && !slices.Contains(s.Secrets, any(path)) {
				t.Errorf("%s: %s names a secret that is not mounted", name, key)
			}
		}
	}
}

// The script makes every secret of the file, and a token that the server accepts.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "sh", "secrets.sh", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, secret := range compose(t).Secrets {
		path := dir + strings.TrimPrefix(secret.File, "./secrets")
		text, err := os.ReadFile(path)
		if err != nil || len(text) < 20 {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o444 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		if strings.Contains(string(out), strings.TrimSpace(string(text))) {
			t.Errorf("the script prints %s", name)
		}
	}
	token, err := os.ReadFile(dir + "/admin-token")
	if err != nil || !access.IsCredential(strings.TrimSpace(string(token))) {
		t.Errorf("%q is no token, %v", token, err)
	}
	if _, err := exec.CommandContext(t.Context(), "sh", "secrets.sh", dir).CombinedOutput(); err != nil {
		t.Error(err)
	}
	if again, err := os.ReadFile(dir + "/admin-token"); err != nil || string(again) != string(token) {
		t.Errorf("a second run made another token, %v", err)
	}
}
