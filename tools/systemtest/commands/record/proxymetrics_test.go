package record

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A proxy has its metrics on an address of their own.
func TestProxyMetrics(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}\n") }))
	defer upstream.Close()
	log := &commandtest.LogBuffer{}
	cmd := exec.Command(programtest.Path(t), "proxy", "--server", s.URL, "--upstream", upstream.URL, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir())
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	says := regexp.MustCompile(`(http://\S+)/metrics has the metrics\n(http://\S+) records`)
	var at []string
	bounded.Until(t, "the proxy to listen", func() bool { at = says.FindStringSubmatch(log.String()); return at != nil })
	resp, err := http.Get(at[2] + "/v1/x")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	resp, err = http.Get(at[1] + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), "\ntapedeck_proxy_exchanges_total 1\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
