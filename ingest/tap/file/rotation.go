package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// checkEmptied checks whether the current file was emptied since it was read: it is shorter than
// the bytes that were read, or its beginning has changed. An emptied file is read from its
// beginning.
func (f *follower) checkEmptied() error {
	info, err := f.current.Stat()
	if err != nil {
		return fmt.Errorf("stat the file: %w", err)
	}
	same, err := f.section().head.matches(f.current)
	if err != nil {
		return err
	}
	if same && info.Size() >= f.offset {
		return nil
	}
	f.log.Warn("file: emptied, and read from its beginning; what was appended between a copy and the emptying is lost",
		"path", f.path, "read_to", f.offset, "size", info.Size())
	if err := f.finish(); err != nil {
		return err
	}
	f.enter(f.section().file, &head{}, 0)
	return nil
}

// nextFile checks the file at the path, and switches to the next file once the current one
// is finished. It reports whether it did so.
func (f *follower) nextFile() (bool, error) {
	if err := f.queue(); err != nil {
		return false, err
	}
	if len(f.next) == 0 || f.current != nil && f.ended.Sub(f.grew) < f.opts.Settle {
		return false, nil
	}
	if f.current != nil {
		if err := f.finish(); err != nil {
			return false, err
		}
		f.current.Close()
	}
	f.current, f.next = f.next[0], f.next[1:]
	info, err := f.current.Stat()
	if err != nil {
		return false, fmt.Errorf("stat the file: %w", err)
	}
	f.enter(identityOf(info), &head{}, 0)
	f.savedAt = time.Time{} // so that a checkpoint that names the file is written at once
	return true, nil
}

// queue opens the file at the path if it is not the newest known file. It opens the file before its
// turn to be read, so that the file stays available if it is replaced meanwhile.
func (f *follower) queue() error {
	info, err := os.Stat(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it does not exist at the moment
	}
	if err != nil {
		return fmt.Errorf("stat the file: %w", err)
	}
	newest := f.current
	if len(f.next) > 0 {
		newest = f.next[len(f.next)-1]
	}
	if newest != nil {
		known, err := newest.Stat()
		if err != nil {
			return fmt.Errorf("stat the file: %w", err)
		}
		if os.SameFile(known, info) {
			return nil
		}
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file and cannot be followed: record it without --follow", f.path)
	}
	file, err := os.Open(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // replaced at this moment
	}
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	f.next = append(f.next, file)
	f.savedAt = time.Time{} // so that a checkpoint that names the file is written at once
	if f.current != nil {
		f.grew = time.Now() // it may have grown until now, after it was read
		f.log.Info("file: replaced by a new one", "path", f.path, "read_to", f.offset)
	}
	return nil
}

// resume continues at the checkpoint, if there is one.
func (f *follower) resume() error {
	if f.store == nil {
		return nil
	}
	cp, err := f.store.load()
	if err != nil {
		return err
	}
	if cp == nil {
		f.journal, err = newJournal(f.store.journalPath())
		return err
	}
	t, err := schema.ParseTransport(cp.Transport)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	resume := &ingest.Resume{StreamID: cp.StreamID, NextSeq: cp.NextSeq, Settled: cp.Settled}
	f.saved = *cp
	if again, err := f.reread(cp, t, resume); again || err != nil {
		return err
	}
	if err := f.open(t, resume); err != nil {
		return err
	}
	for i, place := range cp.Files {
		file, h, err := f.find(&place)
		if err != nil {
			return err
		}
		switch {
		case file == nil:
			f.log.Warn("file: a followed file is missing or was emptied; its content after the checkpoint is lost to this recording",
				"path", f.path, "offset", place.Offset)
		case i == 0:
			f.current = file
			f.enter(place.identity, h, place.Offset)
		default:
			f.next = append(f.next, file)
		}
	}
	return nil
}

// find searches for a file at the path and, under other names, in the directory of the path.
func (f *follower) find(p *location) (*os.File, *head, error) {
	if file, h, err := match(f.path, p); file != nil || err != nil {
		return file, h, err
	}
	dir := filepath.Dir(f.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, nil // the directory is missing too
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		if file, h, err := match(filepath.Join(dir, entry.Name()), p); file != nil || err != nil {
			return file, h, err
		}
	}
	return nil, nil, nil
}

// beginning returns the location of the beginning of a file that was not read yet.
func beginning(file *os.File) (location, error) {
	info, err := file.Stat()
	if err != nil {
		return location{}, fmt.Errorf("stat the file: %w", err)
	}
	data, err := readHead(file, headSize)
	return (&head{data}).location(identityOf(info), 0), err
}

// match opens a file if it has the identity and the beginning that the location names.
func match(path string, p *location) (*os.File, *head, error) {
	info, err := os.Stat(path)
	if err != nil || identityOf(info) != p.identity || info.Size() < p.Offset {
		return nil, nil, nil // another file, or none
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("continue with %s: %w", path, err)
	}
	data, err := readHead(file, p.HeadBytes)
	h := &head{data}
	if err != nil || h.location(p.identity, p.Offset) != *p {
		file.Close()
		return nil, nil, err
	}
	return file, h, nil
}
