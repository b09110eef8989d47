package agenthistory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// The progress file consists of lines: a header, then entries. For each stream the last entry
// counts, with the lines of all its entries. An unterminated line of a killed process is ignored:
// its content is recorded again, under the same ids.

// header is the first line of the file.
type header struct {
	Version int    `json:"version"`
	Server  string `json:"server"`
	Tenant  string `json:"tenant"`
}

const progressVersion = 1

// load reads the file if it exists.
func (p *Progress) load() error {
	f, err := os.Open(p.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the progress of sync: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // an unterminated line
		}
		if err != nil {
			return fmt.Errorf("read the progress of sync: %w", err)
		}
		if p.written++; p.written == 1 {
			var h header
			if err := json.Unmarshal(line, &h); err != nil || h != p.header {
				return fmt.Errorf("%s is not the progress of a sync to %s that this program reads: remove it to "+
					"record everything once more", p.path, p.header.Server)
			}
			continue
		}
		e := &entry{}
		if json.Unmarshal(line, e) == nil && e.Stream != "" {
			p.put(e)
		}
	}
}

// compact opens the file. It rewrites the file first if most of its lines are superseded.
func (p *Progress) compact() error {
	if p.written == 0 || p.written > 2*len(p.streams)+64 {
		return p.rewrite()
	}
	return p.open()
}

// rewrite writes the current entries to a new file and opens it.
func (p *Progress) rewrite() error {
	next := p.path + ".next"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the progress of sync: %w", err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	err = enc.Encode(p.header)
	for _, e := range p.streams {
		if err == nil {
			err = enc.Encode(e)
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, p.path)
	}
	if err != nil {
		return fmt.Errorf("write the progress of sync: %w", err)
	}
	p.written = len(p.streams) + 1
	return p.open()
}

// open opens the file for appending after its last complete line.
func (p *Progress) open() error {
	if p.file != nil {
		p.file.Close()
	}
	f, err := os.OpenFile(p.path, os.O_RDWR|os.O_APPEND, 0o600)
	if err == nil {
		err = terminate(f)
	}
	if err != nil {
		return fmt.Errorf("write the progress of sync: %w", err)
	}
	p.file = f
	return nil
}

// terminate ends an unterminated last line before the next one is appended.
func terminate(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err = f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
		_, err = f.Write([]byte{'\n'})
	}
	return err
}

// save appends an entry. It is called only when the content of the entry is durable.
func (p *Progress) save(e *entry) error {
	e.Saved = time.Now().Unix()
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the progress of sync: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(e)
	if p.hold {
		p.held = append(p.held, text)
		return nil
	}
	return p.append(text)
}

// append writes a line. p.mu is held.
func (p *Progress) append(text []byte) error {
	if p.file == nil {
		return nil // another process has the lock: it, or the next run, records the same again
	}
	if _, err := p.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the progress of sync: %w", err)
	}
	p.written++
	return nil
}

// Hold delays the writing of entries until Release, since their content is not on the server yet.
func (p *Progress) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = true
}

// Release writes the delayed entries.
func (p *Progress) Release() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = false
	for _, text := range p.held {
		if err := p.append(text); err != nil {
			return err
		}
	}
	p.held = nil
	return nil
}
