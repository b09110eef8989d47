package main

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/internal/usage"
)

// readerLimits are the flags that bound the readers of recordings and their memory, for
// the commands that run servers.
type readerLimits struct {
	MaxReaders     int   `help:"Playbacks, pages of frames, exports and emulations that are served at a time, together. One more is answered 503." default:"2000" env:"TAPEDECK_MAX_READERS" placeholder:"N"`
	MaxReaderBytes int64 `help:"Memory, bytes, that recordings may take which are read for them. Beyond it a request waits for 5 seconds and is then answered 503." default:"1073741824" env:"TAPEDECK_MAX_READER_BYTES" placeholder:"BYTES"`
}

// check rejects limits with which nothing could be read.
func (l *readerLimits) check() error {
	if l.MaxReaders <= 0 {
		return usage.Errorf("--max-readers=%d: it must be above 0", l.MaxReaders)
	}
	if l.MaxReaderBytes < budget.Base {
		return usage.Errorf("--max-reader-bytes=%d: one reader takes %d", l.MaxReaderBytes, budget.Base)
	}
	return nil
}

func (l *readerLimits) budget() *budget.Budget {
	return budget.New(budget.Options{Bytes: l.MaxReaderBytes, Readers: l.MaxReaders})
}

// admit counts a request as a reader until done is called.
func (s *server) admit(r *http.Request) (_ *http.Request, done func(), err error) {
	grant, err := s.readers.Enter()
	if err != nil {
		return r, nil, err
	}
	return r.WithContext(budget.With(r.Context(), grant)), grant.Close, nil
}

// reads is middleware that applies the readers' budget to a route.
func (s *server) reads(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, done, err := s.admit(c.Request())
		if err != nil {
			return err
		}
		defer done()
		c.SetRequest(r)
		return next(c)
	}
}

// bounded is reads for an http.Handler.
func (s *server) bounded(next tenantHandler) tenantHandler {
	return func(w http.ResponseWriter, r *http.Request, tenant string) {
		r, done, err := s.admit(r)
		if err != nil {
			refusal, _ := problem.From(err)
			problem.Write(w, refusal)
			return
		}
		defer done()
		next(w, r, tenant)
	}
}
