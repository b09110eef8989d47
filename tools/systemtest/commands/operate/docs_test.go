package operate

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/app/demo"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/programtest"
	"tapedeck/internal/loopback"
	"tapedeck/internal/markdown"
	"tapedeck/tools/systemtest/commands/commandtest"
)

const (
	// perBlock is the time after which a block that is still running fails.
	perBlock = bounded.Limit
)

// TestDocumentedCommands runs the blocks of commands of all documents, those of a page in their
// order, against a server with the demo. A block that is not run has a reason.
func TestDocumentedCommands(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	library, err := engine.Find(t.Context())
	if err != nil {
		fulltest.Missing(t, err)
	}
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			fulltest.Missing(t, err)
		}
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := commandtest.StartUp(t, filepath.Join(home, ".local/share/tapedeck"), "--demo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	})
	r := newReader(t, home, s)
	if library.Library != "" { // the folder of the test's program has none
		r.env = append(r.env, "TAPEDECK_LIBCHDB="+library.Library)
	}
	var ran, marked atomic.Int32
	t.Run("pages", func(t *testing.T) {
		for _, page := range commandtest.PagesInOrder(t) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				r := *r
				r.openPage(t, page)
				for _, block := range markdown.Blocks(commandtest.ReadPage(t, page)) {
					switch {
					case block.File != "":
						r.write(t, block)
					case !slices.Contains(commandtest.Shells, block.Language):
					case block.NotRun != "":
						marked.Add(1)
					default:
						ran.Add(1)
						r.run(t, page, block)
					}
				}
			})
		}
	})
	t.Logf("%d blocks ran, %d are marked with why they do not", ran.Load(), marked.Load())
	if ran.Load() < 70 {
		t.Errorf("%d blocks ran, want 70 at least", ran.Load())
	}
}

// reader runs the commands of pages in a home directory, each page in a folder of its own.
type reader struct {
	dir, bin string
	env      []string
	ports    *strings.Replacer
}

func newReader(t *testing.T, home string, s *commandtest.Instance) *reader {
	t.Helper()
	for session, ended := range map[string]string{demo.Session: "ok", demo.ReleaseSession: "ok", demo.FailedSession: "error"} {
		bounded.Until(t, session+", which is recorded while the server answers", func() bool {
			status, body, _ := s.Get(t, "/v1/sessions/"+session)
			return status == http.StatusOK && strings.Contains(string(body), `"status":"`+ended+`"`)
		})
	}
	r := &reader{bin: filepath.Join(home, "bin")}
	script := "#!/bin/sh\nexec " + programtest.Path(t) + " \"$@\"\n"
	if err := errors.Join(os.Mkdir(r.bin, 0o755), os.WriteFile(filepath.Join(r.bin, "tapedeck"), []byte(script), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TAPEDECK_") && !strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "TAPEDECK_LIBCHDB") {
			r.env = append(r.env, v)
		}
	}
	r.env = append(r.env, "HOME="+home, "PATH="+r.bin+":"+os.Getenv("PATH"), "TAPEDECK_SERVER="+s.URL, "TAPEDECK_TOKEN=")
	r.ports = strings.NewReplacer("http://127.0.0.1:4600", s.URL, "127.0.0.1:4700", loopback.Free(t), "127.0.0.1:4800", loopback.Free(t))
	return r
}

// openPage begins a page in an empty folder, from which docs and bin are reached as from the
// root of the repository. Progress and spools of its commands are in that folder, since pages run at
// the same time.
func (r *reader) openPage(t *testing.T, page string) {
	t.Helper()
	docs := filepath.Join(commandtest.Repository(t), "docs")
	r.dir = filepath.Join(filepath.Dir(r.bin), "pages", strings.ReplaceAll(page, "/", "-"))
	if err := errors.Join(os.MkdirAll(r.dir, 0o755), os.Symlink(docs, filepath.Join(r.dir, "docs")), os.Symlink(r.bin, filepath.Join(r.dir, "bin"))); err != nil {
		t.Fatal(err)
	}
	r.env = append(slices.Clip(r.env), "XDG_STATE_HOME="+filepath.Join(r.dir, "state"))
}

// write makes the file whose content a block is.
func (r *reader) write(t *testing.T, block markdown.Block) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, block.File), []byte(block.Text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (r *reader) run(t *testing.T, page string, block markdown.Block) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), perBlock)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-c", r.ports.Replace(block.Script()))
	cmd.Dir, cmd.Env = r.dir, r.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what a block leaves running ends with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	began := time.Now()
	output, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly nothing is left
	}
	if err != nil {
		t.Errorf("%s:%d: %v\n%s%s", page, block.Line, err, block.Text, output)
	}
	if took := time.Since(began); took > time.Second {
		t.Logf("%s:%d took %s", page, block.Line, took.Round(time.Millisecond))
	}
}
