package helm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/syncbuffer"
)

// surroundings are the objects that a release finds in its cluster.
type surroundings struct {
	values  map[string]any               // with the addresses of NATS and ClickHouse
	secrets map[string]map[string][]byte // the operator's: files by name
	client  *http.Client                 // trusts the servers of the release
}

// testRoles runs the rendered commands: the migration, and a process of each role. What one
// records another stores and a third one plays, and a recording outlives a restart of all.
func testRoles(t *testing.T, r *renderer, program string, around surroundings) {
	admin := access.NewTokenText()
	set := r.render(t, realValues(t, around.values, admin))[0]
	if set.Error != "" {
		t.Fatal(set.Error)
	}
	n := &node{t: t, program: program, set: &set, dir: t.TempDir(), around: around}
	migration := n.command("Job")
	if out, err := migration.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("applied")) {
		t.Fatalf("%v: %v\n%s", migration.Args, err, out)
	}
	pods := n.start()
	token := pods["ingest"].create(admin)
	body := "{\"text\":\"one\"}\n{\"text\":\"two\"}\n{\"text\":\"three\"}\n"
	pods["ingest"].want(http.StatusOK, http.MethodPost, "/v1/ingest?session=first", token, body)
	pods["api"].plays(token, "first", body)
	pods["api"].want(http.StatusNotFound, http.MethodPost, "/v1/ingest", token, body)
	pods["ingest"].want(http.StatusNotFound, http.MethodGet, "/v1/sessions", token, "")
	pods["api"].want(http.StatusUnauthorized, http.MethodGet, "/metrics", "", "")
	for _, role := range roles {
		pods[role].want(http.StatusOK, http.MethodGet, "/metrics", admin, "")
		pods[role].stop()
	}
	pods = n.start()
	pods["ingest"].want(http.StatusOK, http.MethodPost, "/v1/ingest?session=second", token, body)
	for _, session := range []string{"first", "second"} {
		pods["api"].plays(token, session, body)
	}
	for _, role := range roles {
		pods[role].stop()
	}
}

// plain are servers without TLS.
func plain(t *testing.T) surroundings {
	t.Helper()
	servers := localtest.Servers(t, local.Options{ListenNATS: "127.0.0.1:0"})
	dsn, password := withoutPassword(t, servers.ClickHouseDSN())
	return surroundings{client: http.DefaultClient, values: map[string]any{
		"nats":       map[string]any{"url": servers.NATSURL(), "maxBytes": 1 << 28},
		"clickhouse": map[string]any{"url": dsn.String(), "password": password},
	}}
}

// withoutPassword splits the DSN of a ClickHouse.
func withoutPassword(t *testing.T, text string) (dsn *url.URL, password string) {
	t.Helper()
	dsn, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	password, _ = dsn.User.Password()
	dsn.User = url.User(dsn.User.Username())
	return dsn, password
}

// realValues writes values with an administrator's token and settings.
func realValues(t *testing.T, values map[string]any, admin string) string {
	t.Helper()
	all := map[string]any{
		"auth":     map[string]any{"adminToken": admin},
		"settings": map[string]any{"quiet-after": "5s"},
		"ingest":   map[string]any{"settings": map[string]any{"max-frame-bytes": 1 << 20}},
	}
	maps.Copy(all, values)
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "real.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// node runs pods as processes. Their paths are in a directory.
type node struct {
	t       *testing.T
	program string
	set     *result
	dir     string
	around  surroundings
}

// workload returns the workload of a role, or of the migration.
func (n *node) workload(role string) *object {
	for _, w := range n.set.workloads() {
		if w.role() == role || w.Kind == role {
			return &w
		}
	}
	n.t.Fatalf("no workload for %s", role)
	return nil
}

// command returns the command of a pod, with its volumes in place.
func (n *node) command(role string) *exec.Cmd {
	n.t.Helper()
	w := n.workload(role)
	pod := w.Spec.Template.Spec
	root := filepath.Join(n.dir, role)
	var args []string
	for _, arg := range pod.Containers[0].Args {
		if name, value, _ := strings.Cut(arg, "="); strings.HasPrefix(value, "/") {
			arg = name + "=" + filepath.Join(root, value)
		}
		args = append(args, arg)
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		n.mount(filepath.Join(root, m.MountPath), pod.Volumes, m.Name)
	}
	if w.Kind != "Job" {
		n.configure(root, w)
	}
	cmd := exec.Command(n.program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	for _, e := range pod.Containers[0].Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	return cmd
}

// configure writes the configuration file of a pod: its paths are below root, and the processes
// share a machine. The program must report nothing about it.
func (n *node) configure(root string, w *object) {
	n.t.Helper()
	text := strings.ReplaceAll(configFile(n.t, n.set, w), `"/`, `"`+root+"/")
	text = strings.ReplaceAll(text, `"0.0.0.0:4600"`, `"127.0.0.1:0"`)
	path := filepath.Join(root, strings.TrimPrefix(w.Spec.Template.Spec.Containers[0].Args[1], "--config="))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
	if out, err := exec.Command(n.program, "config", "check", path).CombinedOutput(); err != nil {
		n.t.Fatalf("config check: %v\n%s\n%s", err, out, text)
	}
}

// mount writes the files of a volume.
func (n *node) mount(dir string, volumes []volume, name string) {
	n.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		n.t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, v := range volumes {
		switch {
		case v.Name != name:
		case v.Secret != nil:
			maps.Copy(files, n.around.secrets[v.Secret.SecretName])
		case v.Projected != nil:
			for _, s := range v.Projected.Sources {
				for _, item := range s.Secret.Items {
					text, err := base64.StdEncoding.DecodeString(n.set.named("Secret", s.Secret.Name).Data[item.Key])
					if err != nil {
						n.t.Fatal(err)
					}
					files[item.Path] = text
				}
			}
		}
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o440); err != nil {
			n.t.Fatal(err)
		}
	}
}

// start runs all roles until their probes succeed.
func (n *node) start() map[string]*process {
	n.t.Helper()
	pods := map[string]*process{}
	for _, role := range roles {
		p := &process{node: n, role: role, log: &syncbuffer.Output{}, ended: make(chan error, 1)}
		p.cmd = n.command(role)
		p.cmd.Stderr = p.log
		if err := p.cmd.Start(); err != nil {
			n.t.Fatal(err)
		}
		go func() { p.ended <- p.cmd.Wait() }()
		n.t.Cleanup(func() { _ = p.cmd.Process.Kill() })
		pods[role] = p
	}
	for _, p := range pods {
		c := n.workload(p.role).Spec.Template.Spec.Containers[0]
		for _, probe := range []*probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			bounded.Until(n.t, p.role+" answers "+probe.HTTPGet.Path, func() bool {
				code, _, err := p.ask(http.MethodGet, probe.HTTPGet.Path, "", "")
				return err == nil && code == http.StatusOK && strings.HasPrefix(urlIn(p.log), strings.ToLower(probe.HTTPGet.Scheme)+"://")
			})
		}
	}
	return pods
}

// process is a pod.
type process struct {
	*node
	role  string
	cmd   *exec.Cmd
	log   *syncbuffer.Output
	ended chan error
}

// ask sends a request to the address in the log.
func (p *process) ask(method, path, token, body string) (int, string, error) {
	base := urlIn(p.log)
	if base == "" {
		return 0, "", fmt.Errorf("%s does not serve yet", p.role)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "/v1/ingest") {
		r.Header.Set("Content-Type", "application/x-ndjson")
	}
	r.Header.Set("Accept", "application/x-ndjson")
	r.Close = true
	answer, err := p.around.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func (p *process) want(code int, method, path, token, body string) string {
	p.t.Helper()
	got, text, err := p.ask(method, path, token, body)
	if err != nil || got != code {
		p.t.Fatalf("%s: %s %s: %d, %v, not %d\n%s\n%s", p.role, method, path, got, err, code, text, p.log)
	}
	return text
}

// create makes a token that records and reads.
func (p *process) create(admin string) string {
	p.t.Helper()
	var made struct{ Token string }
	text := p.want(http.StatusCreated, http.MethodPost, "/v1/tokens", admin, `{"name":"test","tenant":"acme","scopes":["record","read:raw"]}`)
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Token == "" {
		p.t.Fatalf("token: %v in %s", err, text)
	}
	return made.Token
}

// plays waits until a session replays as it was recorded.
func (p *process) plays(token, session, body string) {
	p.t.Helper()
	var last string
	defer func() {
		if p.t.Failed() {
			p.t.Logf("replay of %s: %s", session, last)
		}
	}()
	bounded.Until(p.t, "replay of "+session, func() bool {
		code, text, err := p.ask(http.MethodGet, "/v1/sessions/"+session+"/replay?speed=max&mode=raw", token, "")
		last = fmt.Sprint(code, " ", text, err)
		return err == nil && code == http.StatusOK && text == body
	})
}

// stop ends the process as the kubelet does, and checks that it ends in the time that is left
// after the drain.
func (p *process) stop() {
	p.t.Helper()
	pod := p.workload(p.role).Spec.Template.Spec
	left := time.Duration(pod.TerminationGracePeriodSeconds-pod.Containers[0].Lifecycle.PreStop.Sleep.Seconds) * time.Second
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Errorf("%s ended with %v\n%s", p.role, err, p.log)
		}
	case <-time.After(left):
		p.t.Errorf("%s runs on after %v", p.role, left)
	}
}

// urlIn returns the address that a log names; "" before.
func urlIn(log *syncbuffer.Output) string {
	for line := range strings.Lines(log.String()) {
		var event struct{ Msg, URL string }
		if json.Unmarshal([]byte(line), &event) == nil && event.Msg == "server: serving" {
			return event.URL
		}
	}
	return ""
}
