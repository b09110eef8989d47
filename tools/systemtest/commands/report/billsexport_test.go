package report

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/internal/problem"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The files of an export are written to a directory, or as one archive; what is there already
// stays unless it is to be written over.
func TestBillsExport(t *testing.T) {
	t.Parallel()
	requests := make(chan *url.URL, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r.URL
		w.Header().Set(problem.ServerHeader, "1")
		z := zip.NewWriter(w)
		for name, text := range map[string]string{"cost-and-usage.csv": "BilledCost\r\n1\r\n", "metadata.json": "{}\n"} {
			f, err := z.Create(name)
			if err == nil {
				_, err = f.Write([]byte(text))
			}
			if err != nil {
				t.Error(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	run := func(args ...string) (string, int) {
		_, errs, exit := commandtest.Alone(t, append([]string{"bills", "export", "--server", server.URL}, args...)...)
		return errs, exit
	}
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	// asked returns the path and the query of a command's request.
	asked := func() (string, url.Values) {
		select {
		case u := <-requests:
			return u.Path, u.Query()
		default:
			return "", nil
		}
	}

	errs, exit := run("INV-000001", filepath.Join(dir, "focus"), "--focus-version", "1.2", "--tag", "a,b", "--tag", "c", "--columns", "BilledCost,x_UnitName")
	path, query := asked()
	if exit != 0 || path != "/v1/bills/INV-000001/focus" || read("focus/cost-and-usage.csv") != "BilledCost\r\n1\r\n" {
		t.Errorf("exit %d, asked for %s: %s", exit, path, errs)
	}
	if len(query["tag"]) != 2 || query["tag"][0] != "a,b" || query.Get("version") != "1.2" || query.Get("columns") != "BilledCost,x_UnitName" || query.Get("link") != server.URL {
		t.Errorf("asked for %v", query)
	}
	if errs, exit = run("INV-000001", filepath.Join(dir, "focus")); exit != commandtest.ExitFailed {
		t.Errorf("files that are there: exit %d", exit)
	}
	commandtest.Contains(t, "files that are there", errs, "is there already", "--force")
	asked()
	errs, exit = run("--period", "2026-10", "--account", "customer=c1", filepath.Join(dir, "focus"), "--force")
	if path, query = asked(); exit != 0 || path != "/v1/bills/focus" || query.Get("account") != "customer=c1" {
		t.Errorf("--force: exit %d, asked for %s: %s", exit, path, errs)
	}
	if errs, exit = run("--period", "2026-10", filepath.Join(dir, "all.zip")); exit != 0 || read("all.zip")[:2] != "PK" {
		t.Errorf("an archive: exit %d: %s", exit, errs)
	}
	if errs, exit = run("--period", "2026-10", filepath.Join(dir, "all.zip")); exit != commandtest.ExitFailed {
		t.Errorf("an archive that is there: exit %d: %s", exit, errs)
	}
	for _, wrong := range [][]string{{}, {"INV-1"}, {"--period", "2026-10"}, {"--period", "2026-10", "INV-1", "d"}, {"INV-1", "d", "--account", "a"}, {"INV-1", "d", "--focus-version", "1.3"}, {"INV-1", "d", "--json"}, {"INV-1", "d", "--evidence", "--tag", "a"}, {"INV-1", "d", "--evidence", "--period", "2026-10"}} {
		if errs, exit := run(wrong...); exit != commandtest.ExitUsage {
			t.Errorf("%v: exit %d: %s", wrong, exit, errs)
		}
	}
}
