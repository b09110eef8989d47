package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"tapedeck/internal/app/command/endedsessions"
)

// settle is how long after its end a day is archived, so that most late records are in the first file.
const settle = time.Hour

// charges archives the charges of each day (UTC) that has ended and has usage: of days that the archive does not
// have, and of days of which the server's report has changed, since records came late or have other prices.
func (r *run) charges(ctx context.Context) error {
	end := r.Now().UTC().Add(-settle).Truncate(24 * time.Hour)
	var report struct {
		Items   []json.RawMessage `json:"items"`
		Missing []json.RawMessage `json:"missing_shards"`
	}
	q := url.Values{"granularity": {"day"}, "timezone": {"UTC"}, "to": {end.Format(time.RFC3339)}}
	if err := r.Client.Get(ctx, "v1/usage", q, &report); err != nil {
		return err
	}
	if len(report.Missing) > 0 {
		return endedsessions.ErrMissing
	}
	for _, row := range report.Items {
		var of struct{ Period string }
		if err := json.Unmarshal(row, &of); err != nil {
			return fmt.Errorf("read the report of usage: %w", err)
		}
		sum := sha256.Sum256(row)
		c := charges{Report: hex.EncodeToString(sum[:])}
		stored, err := r.stored(ctx, of.Period, c.Report)
		if stored {
			continue
		}
		if err == nil {
			err = r.day(ctx, of.Period, &c)
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.result.Failed++
			r.say(fmt.Sprintf("the charges of %s are not archived: %v", of.Period, err))
			continue
		}
		r.state.Charges[of.Period] = c
		r.result.Days++
		r.result.Bytes += c.Bytes
		if err := r.save(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stored reports whether the archive has the charges of a day by the server's report of it. With All it reads their
// file, so that a file that is missing or changed is written again.
func (r *run) stored(ctx context.Context, day, report string) (bool, error) {
	was := r.state.Charges[day]
	if was.Report != report || !r.All {
		return was.Report == report, nil
	}
	got, err := readContent(ctx, r.Place, chargesName(day))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && got == was.content, err
}

// day copies the charges of a day. A file of which the end is missing is not stored, and neither is one with fewer
// charges than the archive has: the server has deleted the others.
func (r *run) day(ctx context.Context, day string, c *charges) error {
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return err
	}
	q := url.Values{"format": {"parquet"}, "from": {from.Format(time.RFC3339)}, "to": {from.AddDate(0, 0, 1).Format(time.RFC3339)}}
	path, done, err := r.download(ctx, "v1/usage/calls", q, "application/vnd.apache.parquet")
	if err != nil {
		return err
	}
	defer done()
	if c.Rows, err = rowsOf(path); err != nil {
		return fmt.Errorf("the server's file: %w", err)
	}
	if c.Rows == 0 {
		return errors.New("the server's file has no charges")
	}
	had, err := r.archivedRows(ctx, day)
	if err != nil {
		return err
	}
	if c.Rows < had {
		r.say(fmt.Sprintf("the charges of %s stay as they were archived: of %d charges the server has %d, the others expired or were erased", day, had, c.Rows))
		c.content, c.Rows = r.state.Charges[day].content, had
		return nil
	}
	c.content, err = r.store(ctx, chargesName(day), path)
	return err
}

// archivedRows returns the number of charges in the archive's file of a day; 0 if there is none, or if it is not
// what was written.
func (r *run) archivedRows(ctx context.Context, day string) (int64, error) {
	was, name := r.state.Charges[day], chargesName(day)
	got, err := readContent(ctx, r.Place, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && got != was.content {
		return 0, nil
	}
	if err != nil || was.Rows > 0 {
		return was.Rows, err
	}
	in, err := r.Place.Open(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	defer in.Close()
	file, err := os.CreateTemp("", "tapedeck-archive-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	_, err = io.Copy(file, in)
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	return rowsOf(file.Name())
}

// rowsOf returns the number of rows of a file of Parquet. It fails if the file's end is missing.
func rowsOf(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return 0, fmt.Errorf("it is not readable: %s", strings.TrimSpace(err.Error()))
	}
	return f.NumRows(), nil
}
