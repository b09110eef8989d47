package compressed

import (
	"net/http"
	"strings"

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
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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
	return w.ResponseWriter.Write(p)
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
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher.
func (w *writer) Flush() { _ = w.FlushError() }

// finish ends the answer after its handler.
func (w *writer) finish() {
	if w.status == 0 {
		return // it has no answer, or its connection was taken over
	}
	if !w.decided && w.decide(false) != nil {
		return
	}
	if w.encoder != nil && w.encoder.Close() == nil {
		w.encoder.Reset(nil)
		w.coding.idle.Put(w.encoder)
		w.encoder = nil
	}
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
		// The buffered bytes of an encoder are written after the handler's own deadlines.
		w.encoder.Reset(slow.NewWriter(w.ResponseWriter, nil))
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
		_, err = w.ResponseWriter.Write(held)
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
