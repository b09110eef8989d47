package compressed

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"tapedeck/internal/slow"
)

// writer is the http.ResponseWriter of one answer. It holds back the head of the answer and the first
// bytes until it is known whether the answer is compressed.
type writer struct {
	http.ResponseWriter
	coding  *coding // that the client accepts, nil for none
	head    bool    // the request is a HEAD
	status  int     // that the handler has set, 0 for none yet
	held    []byte  // written before the decision
	decided bool
	encoder encoder // nil if the answer is not compressed
	out     *slow.Writer
	own     bool // deadlines of writes are set outside out, by the handler or at the end
	failed  bool // a write to the client failed
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// SetWriteDeadline implements the deadline of http.ResponseController. A handler that sets deadlines
// sets them for all of its writes and flushes.
func (w *writer) SetWriteDeadline(deadline time.Time) error {
	w.own = true
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(deadline)
}

// sink is the answer below its coding. Each write has a deadline.
type sink struct{ *writer }

// Write implements io.Writer.
func (s sink) Write(p []byte) (n int, err error) {
	if s.own {
		n, err = s.ResponseWriter.Write(p)
	} else {
		n, err = s.out.Write(p)
	}
	s.failed = s.failed || err != nil
	return n, err
}

// WriteHeader implements http.ResponseWriter. Informational answers are sent at once.
func (w *writer) WriteHeader(status int) {
	switch {
	case status < 200:
		w.ResponseWriter.WriteHeader(status)
	case w.status == 0:
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if !w.decided {
		if len(w.held)+len(p) < smallest {
			w.held = append(w.held, p...)
			return len(p), nil
		}
		if err := w.decide(true); err != nil {
			return 0, err
		}
	}
	if w.encoder != nil {
		return w.encoder.Write(p)
	}
	return sink{w}.Write(p)
}

// FlushError implements the flush of http.ResponseController: the client can decode all that was
// written. A flush before the first write sends the head.
func (w *writer) FlushError() error {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if !w.decided {
		if err := w.decide(true); err != nil {
			return err
		}
	}
	if w.encoder != nil {
		if err := w.encoder.Flush(); err != nil {
			return err
		}
	}
	if !w.own {
		err := w.out.Close()
		w.failed = w.failed || err != nil
		return err
	}
	err := http.NewResponseController(w.ResponseWriter).Flush()
	w.failed = w.failed || err != nil && !errors.Is(err, http.ErrNotSupported)
	return err
}

// Flush implements http.Flusher.
func (w *writer) Flush() { _ = w.FlushError() }

// finish ends the answer after its handler, whose deadlines are over.
func (w *writer) finish() {
	if w.status == 0 || w.failed {
		return // it has no answer, its connection was taken over, or its client has gone
	}
	w.own = true
	_ = w.out.End(w.rest) // the server closes a failed connection
}

// rest writes what was held back, and the end of the coding.
func (w *writer) rest() error {
	if !w.decided {
		if err := w.decide(false); err != nil {
			return err
		}
	}
	if w.encoder == nil {
		return nil
	}
	if err := w.encoder.Close(); err != nil {
		return err
	}
	w.encoder.Reset(nil)
	w.coding.idle.Put(w.encoder)
	w.encoder = nil
	return nil
}

// decide sends the head, and the bytes held so far. worthwhile reports that the answer is large
// enough to be compressed, or is sent in pieces.
func (w *writer) decide(worthwhile bool) error {
	w.decided = true
	header := w.Header()
	suits := w.status != http.StatusNoContent && w.status != http.StatusNotModified &&
		w.status != http.StatusPartialContent && header.Get("Content-Encoding") == "" &&
		header.Get("Content-Range") == "" && compressible(header.Get("Content-Type"))
	if suits {
		vary(header)
	}
	compress := suits && worthwhile && w.coding != nil && !w.head
	if compress {
		header.Del("Content-Length")
		header.Del("Accept-Ranges")
		header.Set("Content-Encoding", w.coding.name)
		if tag := header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
			header.Set("ETag", "W/"+tag) // the bytes differ by coding
		}
	}
	w.ResponseWriter.WriteHeader(w.status)
	if compress {
		w.encoder = w.coding.idle.Get().(encoder)
		w.encoder.Reset(sink{w})
	}
	if len(w.held) == 0 {
		return nil
	}
	held := w.held
	w.held = nil
	var err error
	if compress {
		_, err = w.encoder.Write(held)
	} else {
		_, err = sink{w}.Write(held)
	}
	return err
}

// vary adds the header field Vary, since the answer depends on what the client accepts.
func vary(header http.Header) {
	for _, value := range header.Values("Vary") {
		if strings.Contains(strings.ToLower(value), "accept-encoding") {
			return
		}
	}
	header.Add("Vary", "Accept-Encoding")
}
