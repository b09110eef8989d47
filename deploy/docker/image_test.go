package docker

import (
	"debug/elf"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

const (
	root = "../.."
	user = 65532
	// mostBytes is the largest size of the image without ClickHouse's library.
	mostBytes = 80e6
)

// TestImage runs the commands of the Dockerfile that build the program, fills the image
// "tapedeck" by its COPY lines, and runs its command and its health check in it, as its user.
// "make build" has run the commands that fetch packages and build the pages.
func TestImage(t *testing.T) {
	fulltest.Long(t)
	if os.Getuid() != 0 {
		t.Skip("only root can run a program in the directory of an image")
	}
	stages, out, image := dockerfile(t), t.TempDir(), t.TempDir()
	here := strings.NewReplacer("/out/", out+"/", "/src/", root+"/")
	for _, i := range stages["program"].lines {
		if i.name != "RUN" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", here.Replace(i.text))
		cmd.Dir, cmd.Env = root, append(os.Environ(), stages["program"].first("ENV"), "COMMIT=0123456789abcdef")
		if log, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", i.text, err, log)
		}
	}
	fill(t, stages["tapedeck"], here, image)
	checkSize(t, image)
	program, err := elf.Open(filepath.Join(image, "usr/bin/tapedeck"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if needs, err := program.ImportedLibraries(); err != nil || len(needs) > 0 || program.Section(".interp") != nil {
		t.Errorf("the program needs the libraries %v, which the image does not have; %v", needs, err)
	}
	serve(t, stages["tapedeck"], image)
}

// fill copies the files of a stage's COPY lines.
func fill(t *testing.T, s *stage, here *strings.Replacer, image string) {
	t.Helper()
	for _, i := range s.lines {
		if i.name != "COPY" {
			continue
		}
		paths := strings.Fields(i.text)
		to := filepath.Join(image, paths[len(paths)-1])
		folder := to
		if !strings.HasSuffix(paths[len(paths)-1], "/") {
			folder = filepath.Dir(to)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, from := range paths[:len(paths)-1] {
			if i.flags["from"] != "" {
				from = here.Replace(from)
			} else {
				from = filepath.Join(root, from)
			}
			if log, err := exec.CommandContext(t.Context(), "cp", "-a", from, to).CombinedOutput(); err != nil {
				t.Fatalf("COPY %s: %v\n%s", i.text, err, log)
			}
			if owner := strings.TrimSpace(i.flags["chown"]); owner != "" {
				if log, err := exec.CommandContext(t.Context(), "chown", "-R", owner, to).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, log)
				}
			}
		}
	}
	if err := os.Chmod(image, 0o755); err != nil {
		t.Fatal(err)
	}
}

// checkSize bounds the bytes of the image.
func checkSize(t *testing.T, image string) {
	t.Helper()
	var size int64
	err := filepath.WalkDir(image, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil || size > mostBytes {
		t.Errorf("the image has %.1f MB, want %.0f at most; %v", float64(size)/1e6, mostBytes/1e6, err)
	}
	t.Logf("the image has %.1f MB", float64(size)/1e6)
}

// inside returns a command of the image, in it, as its user.
func inside(t *testing.T, s *stage, image string, args []string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = "/", append(strings.Fields(s.first("ENV")), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: image, Credential: &syscall.Credential{Uid: user, Gid: user}}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// list reads the JSON list of an instruction.
func list(t *testing.T, text string) (args []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text[strings.Index(text, "["):]), &args); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return args
}

// serve runs the image's command until its health check succeeds, and stops it.
func serve(t *testing.T, s *stage, image string) {
	t.Helper()
	servers := localtest.Servers(t, local.Options{ListenNATS: "127.0.0.1:0"})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd := inside(t, s, image, append(list(t, s.first("ENTRYPOINT")), list(t, s.first("CMD"))...),
		"TAPEDECK_NATS="+servers.NATSURL(), "TAPEDECK_CLICKHOUSE="+servers.ClickHouseDSN(), "TAPEDECK_MIGRATE=true", "TAPEDECK_LISTEN="+address)
	cmd.Stderr = &log // read after the end
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	check := list(t, s.first("HEALTHCHECK"))
	bounded.Until(t, "the container is healthy, and ready", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("%v\n%s", err, &log)
		default:
		}
		return inside(t, s, image, check, "TAPEDECK_SERVER="+address).Run() == nil &&
			inside(t, s, image, append(slices.Clone(check), "--ready"), "TAPEDECK_SERVER="+address).Run() == nil
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := bounded.Receive(t, ended); err != nil {
		t.Errorf("%v\n%s", err, &log)
	}
	if token, err := os.ReadFile(filepath.Join(image, "var/lib/tapedeck/admin-token")); err != nil || !strings.HasPrefix(string(token), "td_") {
		t.Errorf("the administrator's token: %q, %v", token, err)
	}
}
