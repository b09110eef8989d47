package endpoint_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query/endpoint"
)

// deadlines records when deadlines of writes were set.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// Each write has a deadline of its own, and the connection none afterwards. An error before
// the first byte is a problem; after it the answer is broken off.
func TestStream(t *testing.T) {
	base := &endpoint.Base{Log: slog.New(slog.DiscardHandler)}
	file := endpoint.File{Name: "x.csv", Media: "text/csv"}
	run := func(write func(io.Writer) error) (d *deadlines, broken any) {
		d = &deadlines{ResponseRecorder: httptest.NewRecorder()}
		defer func() { broken = recover() }()
		base.Stream(d, httptest.NewRequest("GET", "/x", nil), file, write)
		return d, nil
	}

	began := time.Now()
	d, broken := run(func(w io.Writer) error {
		for range 3 {
			if _, err := io.WriteString(w, "row\n"); err != nil {
				return err
			}
		}
		return nil
	})
	if broken != nil || d.Body.String() != "row\nrow\nrow\n" || d.Header().Get("Content-Disposition") != `attachment; filename="x.csv"` {
		t.Errorf("%v %v %q", broken, d.Header(), d.Body)
	}
	if len(d.set) != 8 { // set and removed for each of three writes, and for what is buffered
		t.Fatalf("deadlines %v", d.set)
	}
	for i, at := range d.set {
		if i%2 == 1 {
			if !at.IsZero() {
				t.Errorf("the deadline is %v after a write", at)
			}
			continue
		}
		if at.Before(began.Add(20*time.Second)) || at.After(time.Now().Add(time.Minute)) {
			t.Errorf("a deadline in %v", at.Sub(began))
		}
	}

	d, broken = run(func(io.Writer) error { return problem.NotFound("There is none.") })
	if broken != nil || d.Code != http.StatusNotFound || d.Header().Get("Content-Disposition") != "" {
		t.Errorf("an error before the first byte: %v, %d %v", broken, d.Code, d.Header())
	}
	_, broken = run(func(w io.Writer) error {
		_, err := io.WriteString(w, "row\n")
		return errors.Join(err, errors.New("the database is away"))
	})
	if broken != http.ErrAbortHandler {
		t.Errorf("an error after the first byte: %v", broken)
	}
	if d, broken = run(func(io.Writer) error { return nil }); broken != nil || d.Code != http.StatusOK || d.Header().Get("Content-Type") != "text/csv" {
		t.Errorf("nothing to write: %v, %d %v", broken, d.Code, d.Header())
	}
}
