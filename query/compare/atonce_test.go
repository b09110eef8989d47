package compare_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/memorytest"
	"tapedeck/internal/quota"
	"tapedeck/query"
	"tapedeck/query/compare"
	"tapedeck/query/endpoint"
)

// Ten comparisons of large sessions at once are all answered, two at a time, within a bound of
// memory that does not depend on their number.
func testAtOnce(t *testing.T, w *world) {
	const turns, together = 1000, 10
	long := func(id string, other int) *session {
		s := w.session(id).user("go")
		for i := range turns {
			s.llm(fmt.Sprintf("Step %d: %s", i, strings.Repeat("I look at it. ", 20)))
			// What a provider states of a call: the comparison does not read it.
			s.rec.Usages[i].Raw = fmt.Sprintf(`{"input_tokens":100,"output_tokens":10,"cache_creation":{"note":%q}}`, strings.Repeat("x", 1000))
			s.tool("read", fmt.Sprintf(`{"path":"/src/file%d.go","limit":%d}`, i%17, i+other*(i/100)), strings.Repeat(fmt.Sprintf("line %d of a file\n", i), 60))
		}
		return s
	}
	w.add(long("a", 0), long("b", 1))
	h := compare.Handler{Base: &endpoint.Base{Reader: query.NewReader(w.db.Conn), Clock: time.Now}, Gate: quota.NewGate("comparisons", 2, 0), Wait: time.Hour}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { h.Compare(rw, r, w.tenant) }))
	defer server.Close()
	runtime.GC()
	before := heap()
	var peak atomic.Uint64
	done := make(chan struct{})
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			peak.Store(max(peak.Load(), heap()))
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	began := time.Now()
	var requests sync.WaitGroup
	for range together {
		requests.Go(func() {
			resp, err := http.Get(server.URL + "/v1/compare?a=a&b=b")
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK || n < 2*turns {
				t.Errorf("%d, %d bytes, %v", resp.StatusCode, n, err)
			}
		})
	}
	requests.Wait()
	close(done)
	<-sampled
	t.Logf("%d comparisons at once: the heap grew by %.1f MiB, in %v", together, float64(peak.Load()-before)/(1<<20), time.Since(began))
	memorytest.AtMost(t, "the heap", int64(peak.Load()-before), 150<<20)
}

// heap returns the bytes of objects in the heap, those included that are not collected yet.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// A comparison that had no turn in time is refused with the limit's name.
func TestNoTurn(t *testing.T) {
	gate := quota.NewGate("comparisons", 1, 0)
	if _, err := gate.Enter("other"); err != nil {
		t.Fatal(err)
	}
	h := compare.Handler{Base: &endpoint.Base{Clock: time.Now}, Gate: gate, Wait: time.Millisecond}
	w := httptest.NewRecorder()
	h.Compare(w, httptest.NewRequest(http.MethodGet, "/v1/compare?a=a&b=b", nil), "default")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"limit":"max-comparisons"`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
