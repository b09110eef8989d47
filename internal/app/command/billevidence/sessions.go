package billevidence

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"tapedeck/query/billing/bills"
)

// sessionColumn collects the session ids in CSV rows that are written to it.
type sessionColumn struct {
	in   *io.PipeWriter
	done chan error
	ids  map[string]bool
}

func newSessionColumn() *sessionColumn {
	r, w := io.Pipe()
	s := &sessionColumn{in: w, done: make(chan error, 1), ids: map[string]bool{}}
	column := slices.Index(bills.Columns, "session_id")
	go func() {
		c := csv.NewReader(r)
		c.ReuseRecord = true
		_, err := c.Read() // the header row
		for err == nil {
			var row []string
			if row, err = c.Read(); err == nil {
				if id := row[column]; !s.ids[id] {
					s.ids[strings.Clone(id)] = true // without the copy, id keeps the whole row in memory
				}
			}
		}
		if err == io.EOF {
			err = nil
		}
		_, _ = io.Copy(io.Discard, r) // so that the writer does not block
		s.done <- err
	}()
	return s
}

func (s *sessionColumn) Write(p []byte) (int, error) { return s.in.Write(p) }

// end waits until all written rows are read.
func (s *sessionColumn) end() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	return <-s.done
}

// list returns the session ids in order. It must be called after end.
func (s *sessionColumn) list() []string {
	list := make([]string, 0, len(s.ids))
	for id := range s.ids {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}
