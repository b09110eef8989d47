package operate

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v3"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// composeService is what these tests read of a service of docker-compose.yml.
type composeService struct {
	Command     []string
	Environment map[string]string
	Healthcheck struct{ Test []string }
}

func composeServices(t *testing.T) map[string]composeService {
	t.Helper()
	text, err := os.ReadFile("../../../../deploy/docker/docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Services map[string]composeService }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

// composeNATS runs NATS with the configuration of docker-compose.yml, on another port.
func composeNATS(t *testing.T, secrets string) (address string) {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"../../../../deploy/docker/nats.conf": "nats.conf", filepath.Join(secrets, "nats-users.conf"): "users.conf"} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	opts, err := nats.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if !opts.JetStream || opts.StoreDir != "/data" || opts.HTTPHost != "127.0.0.1" || len(opts.Users) != 1 {
		t.Errorf("NATS reads %v, %s, %s, %d users", opts.JetStream, opts.StoreDir, opts.HTTPHost, len(opts.Users))
	}
	opts.Host, opts.Port, opts.HTTPPort, opts.StoreDir, opts.NoSigs, opts.NoLog = "127.0.0.1", nats.RANDOM_PORT, 0, dir, true, true
	s, err := nats.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(bounded.Limit) {
		t.Fatal("NATS does not start")
	}
	return s.Addr().(*net.TCPAddr).String()
}

// TestCompose runs the commands of docker-compose.yml with their environment, against NATS
// with the configuration there and a real ClickHouse, and plays the demo.
func TestCompose(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	secrets := filepath.Join(t.TempDir(), "secrets")
	for range 2 { // the second run changes nothing
		if out, err := exec.CommandContext(t.Context(), "sh", "../../../../deploy/docker/secrets.sh", secrets).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	servers := localtest.Servers(t, local.Options{})
	dsn, err := url.Parse(servers.ClickHouseDSN())
	if err != nil {
		t.Fatal(err)
	}
	password, _ := dsn.User.Password()
	if err := os.Remove(filepath.Join(secrets, "clickhouse-password")); err != nil { // it is read-only
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(secrets, "clickhouse-password"), []byte(password), 0o444); err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("/run/secrets", secrets, "nats:4222", composeNATS(t, secrets), "clickhouse:9000", dsn.Host, "${TAPEDECK_DEMO:-true}", "true")
	services := composeServices(t)
	image := imageEnvironment(t)
	run := func(name string, more ...string) (*exec.Cmd, *commandtest.LogBuffer) {
		service, log := services[name], &commandtest.LogBuffer{}
		cmd := exec.Command(programtest.Path(t), append(slices.Clone(service.Command), more...)...) // it outlives t.Context, until it is stopped
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, image...)
		for key, value := range service.Environment {
			cmd.Env = append(cmd.Env, key+"="+here.Replace(value))
		}
		cmd.Stderr, cmd.WaitDelay = log, 10*time.Second
		return cmd, log
	}
	migrate, log := run("tapedeck-migrate")
	if err := migrate.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	urls := map[string]string{}
	for _, name := range []string{"tapedeck", "tapedeck-sink"} {
		cmd, log := run(name, "--listen", "127.0.0.1:0", "--data", t.TempDir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, log)
			}
		})
		bounded.Until(t, name+" serves", func() bool {
			if found := commandtest.ServingAt.FindStringSubmatch(log.String()); found != nil {
				urls[name] = found[1]
			}
			return urls[name] != ""
		})
		health := exec.CommandContext(t.Context(), programtest.Path(t), services[name].Healthcheck.Test[2:]...)
		health.Env = []string{"TAPEDECK_SERVER=" + urls[name]}
		if out, err := health.CombinedOutput(); err != nil {
			t.Errorf("%s is not healthy: %v\n%s", name, err, out)
		}
	}
	for host, name := range map[string]string{"tapedeck:4600": "tapedeck", "tapedeck-sink:4600": "tapedeck-sink"} {
		scrape(t, urls[name], host, filepath.Join(secrets, "admin-token"))
	}
	var said string
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(said)
		}
	})
	bounded.Until(t, "the demo plays with its 120 frames", func() bool {
		play := exec.CommandContext(t.Context(), programtest.Path(t), "--as-tenant", "default", "play", "demo", "--speed", "max", "--format", "ndjson")
		play.Env = []string{"TAPEDECK_SERVER=" + urls["tapedeck"], "TAPEDECK_TOKEN_FILE=" + filepath.Join(secrets, "admin-token")}
		frames, diagnosis, _ := commandtest.Finish(t, play)
		said = diagnosis
		return len(strings.Split(strings.TrimSpace(frames), "\n")) == 120
	})
}

// imageEnvironment returns the environment of the image, from the Dockerfile.
func imageEnvironment(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../../deploy/docker/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, stage, _ := strings.Cut(string(text), " AS tapedeck\n")
	found := regexp.MustCompile(`(?m)^ENV (.+)$`).FindStringSubmatch(stage)
	if found == nil {
		t.Fatal("the image has no environment")
	}
	return strings.Fields(found[1])
}

// scrape requests the metrics as prometheus.yml does, by the name of the container.
func scrape(t *testing.T, server, host, tokenFile string) {
	t.Helper()
	config, err := os.ReadFile("../../../../deploy/docker/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(config), `"`+host+`"`) {
		t.Errorf("prometheus.yml does not have %s", host)
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the metrics of %s: %s", host, resp.Status)
	}
}
