package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/endedsessions"
	"tapedeck/internal/console"
	"tapedeck/internal/problem"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/replay/tapefile"
)

// Options configure a run.
type Options struct {
	Client *apiclient.Client
	Place  Place
	// All compares all sessions of the server with the archive, not only those with frames since the last run.
	All bool
	// Said receives what happened to a session or a day that could not be archived.
	Said func(line string)
	Now  func() time.Time // default time.Now
}

// Result counts what a run did.
type Result struct {
	Tapes     int   `json:"tapes"`     // sessions of which the tape was written
	Unchanged int   `json:"unchanged"` // sessions of which the archive has the tape
	Open      int   `json:"open"`      // sessions that have not ended
	Expired   int   `json:"expired"`   // sessions that are not archived, since their frames expired before
	Days      int   `json:"days"`      // files of charges that were written
	Bytes     int64 `json:"bytes"`     // written
	Failed    int   `json:"failed"`    // sessions and days; the next run tries them again
}

// flushAfter is the number of tapes after which indexes are stored.
const flushAfter = 100

// run is one run.
type run struct {
	Options
	state   *state
	indexes map[string]map[string]entry // by day
	dirty   map[string]bool             // days of which the index is not stored
	unsaved int                         // tapes that no stored index names
	result  Result
}

// Run copies what is new to the archive. The error joins what ended it; sessions and days that could not be
// archived are counted, and the next run tries them again.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	unlock, err := o.Place.Lock()
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	s, err := readState(ctx, o.Place)
	if err != nil {
		return Result{}, err
	}
	if err := s.belongTo(ctx, o.Client); err != nil {
		return Result{}, err
	}
	r := &run{Options: o, state: s, indexes: map[string]map[string]entry{}, dirty: map[string]bool{}}
	position := s.CompleteTo
	if o.All {
		position = time.Time{}
	}
	next, open, err := endedsessions.Walk(ctx, o.Client, position, o.Now(), func(s *sessionhead.Summary) (bool, error) { return r.session(ctx, s) })
	r.result.Open = open
	if e := r.flush(context.WithoutCancel(ctx)); err == nil {
		err = e
	}
	if err == nil {
		r.state.CompleteTo = next
		err = r.charges(ctx)
	}
	return r.result, errors.Join(err, r.save(context.WithoutCancel(ctx)))
}

// session archives a session, unless the archive has it. It reports whether the archive has it then.
func (r *run) session(ctx context.Context, s *sessionhead.Summary) (bool, error) {
	day := s.Started.UTC().Format(time.DateOnly)
	index, err := r.index(ctx, day)
	if err != nil {
		return false, err
	}
	want := entry{Session: s.ID, File: fileName(s.ID), Started: s.Started, LastAt: s.LastAt, Streams: s.Streams, Frames: s.Frames, Raw: s.Bytes}
	if s.Ended != nil {
		want.Ended = *s.Ended
	}
	if old, ok := index[s.ID]; ok && old.same(&want) {
		r.result.Unchanged++
		return true, nil
	}
	if err = r.tape(ctx, day, &want); err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if refused, ok := errors.AsType[*apiclient.Error](err); ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone) {
			if refused.Status == http.StatusGone && refused.Title != problem.SessionDeleted {
				r.result.Expired++
				r.say(fmt.Sprintf("session %s is not archived: its frames expired before", s.ID))
			}
			return true, nil // otherwise it was deleted meanwhile
		}
		r.result.Failed++
		r.say(fmt.Sprintf("session %s is not archived: %v", s.ID, err))
		return false, nil
	}
	index[s.ID] = want
	r.dirty[day] = true
	r.result.Tapes++
	r.result.Bytes += want.content.Bytes
	if r.unsaved++; r.unsaved >= flushAfter {
		err = r.flush(ctx)
	}
	return true, err
}

// same reports whether the tape of an entry has what another describes.
func (e *entry) same(as *entry) bool {
	return e.LastAt.Equal(as.LastAt) && e.Ended.Equal(as.Ended) && e.Streams == as.Streams && e.Frames == as.Frames && e.Raw == as.Raw
}

func (r *run) say(line string) {
	if r.Said != nil {
		r.Said(line)
	}
}

// tape copies the tape of a session and completes its entry. A tape that is cut off or has fewer frames than the
// list states is not stored.
func (r *run) tape(ctx context.Context, day string, e *entry) error {
	path, done, err := r.download(ctx, apiclient.SessionPath(e.Session, "tape"), nil, tapefile.MediaType)
	if err != nil {
		return err
	}
	defer done()
	f, err := tapefile.Open(path, tapefile.Options{})
	if err != nil {
		return err
	}
	broken, frames := f.Break(), f.Frames()
	if err := errors.Join(broken, f.Close()); err != nil {
		return err
	}
	if frames < e.Frames {
		return fmt.Errorf("its tape has %d of %d frames", frames, e.Frames)
	}
	e.content, err = r.store(ctx, directoryOf(day)+e.File, path)
	return err
}

// download copies an answer of the server to a temporary file, which done removes.
func (r *run) download(ctx context.Context, path string, q url.Values, media string) (name string, done func(), err error) {
	file, err := os.CreateTemp("", "tapedeck-archive-*")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.Remove(file.Name()) }
	err = r.Client.Copy(ctx, path, q, media, file)
	if err = errors.Join(err, file.Close()); err != nil {
		done()
		return "", nil, err
	}
	return file.Name(), done, nil
}

// store puts a file into the archive and returns its content.
func (r *run) store(ctx context.Context, name, path string) (content, error) {
	file, err := os.Open(path)
	if err != nil {
		return content{}, err
	}
	c, err := contentOf(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return c, err
	}
	return c, r.Place.Put(ctx, name, path)
}

// index returns the index of a day.
func (r *run) index(ctx context.Context, day string) (map[string]entry, error) {
	if known, ok := r.indexes[day]; ok {
		return known, nil
	}
	if len(r.indexes) >= mostIndexes {
		if err := r.flush(ctx); err != nil {
			return nil, err
		}
		clear(r.indexes)
	}
	index, err := readIndex(ctx, r.Place, day)
	if err != nil {
		return nil, err
	}
	r.indexes[day] = index
	if len(index) > 0 { // a run may have ended between the index and archive.json
		r.name(day)
	}
	return index, nil
}

// name adds a day to those that archive.json names.
func (r *run) name(day string) {
	if at, found := slices.BinarySearch(r.state.Days, day); !found {
		r.state.Days = slices.Insert(r.state.Days, at, day)
	}
}

// mostIndexes bounds the indexes in memory.
const mostIndexes = 40

// flush stores the indexes that have changed.
func (r *run) flush(ctx context.Context) error {
	for day := range r.dirty {
		if err := writeIndex(ctx, r.Place, day, r.indexes[day]); err != nil {
			return fmt.Errorf("store the index of %s: %w", day, err)
		}
		delete(r.dirty, day)
		r.name(day)
	}
	r.unsaved = 0
	return r.save(ctx)
}

// save stores archive.json.
func (r *run) save(ctx context.Context) error {
	text, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return err
	}
	if err := putText(ctx, r.Place, stateName, append(text, '\n')); err != nil {
		return fmt.Errorf("store %s: %w", stateName, err)
	}
	return nil
}

// String describes the result in a line.
func (r Result) String() string {
	text := fmt.Sprintf("%s, %s of charges, %s; %d unchanged",
		console.Count(r.Tapes, "tape"), console.Count(r.Days, "day"), console.Count(r.Bytes, "byte"), r.Unchanged)
	if r.Open > 0 {
		text += fmt.Sprintf(", %d open", r.Open)
	}
	if r.Expired > 0 {
		text += fmt.Sprintf(", %d expired", r.Expired)
	}
	if r.Failed > 0 {
		text += fmt.Sprintf(", %d failed", r.Failed)
	}
	return text
}
