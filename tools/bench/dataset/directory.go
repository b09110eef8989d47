package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/local/diskspace"
)

// manifestFile names the file in a data set's directory that describes it.
const manifestFile = "dataset.json"

// format is the version of the contents of a data set. It is increased with each change.
const format = 1

// manifest describes the data set in a directory.
type manifest struct {
	Format   int        `json:"format"`
	Decoders uint32     `json:"decoder_version"`
	Options  Options    `json:"options"`
	Finished bool       `json:"finished"`
	Expected *Expected  `json:"expected,omitempty"`
	ByDay    []keyedSum `json:"by_day,omitempty"`
	ByMonth  []keyedSum `json:"by_month,omitempty"`
}

type keyedSum struct {
	Key
	Sum
}

// Open returns the expected totals of a directory's data set. It returns nil if the data set must
// be filled, because the directory is new or a fill did not finish. It fails if the directory holds
// another data set.
func Open(dir string, o Options) (*Expected, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, checkNew(dir)
	}
	var m manifest
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("read the description of the data set: %w", err)
	}
	if m.Options != o || m.Format != format {
		return nil, fmt.Errorf("%s holds another data set (%+v, format %d; asked for %+v, format %d): name another directory, or remove it",
			dir, m.Options, m.Format, o, format)
	}
	if !m.Finished {
		return nil, nil
	}
	e := m.Expected
	e.ByDay, e.ByMonth = byKey(m.ByDay), byKey(m.ByMonth)
	return e, nil
}

// checkNew fails unless dir is empty or does not exist.
func checkNew(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return fmt.Errorf("%s holds files and no data set: name an empty directory", dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Claim records that a directory is being filled.
func Claim(dir string, o Options) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return write(dir, manifest{Format: format, Decoders: dialects.Version, Options: o})
}

// finish records that a directory is filled.
func finish(dir string, o Options, e *Expected) error {
	return write(dir, manifest{
		Format: format, Decoders: dialects.Version, Options: o, Finished: true, Expected: e, ByDay: keyed(e.ByDay), ByMonth: keyed(e.ByMonth),
	})
}

func write(dir string, m manifest) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, manifestFile)
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func byKey(list []keyedSum) map[Key]*Sum {
	m := make(map[Key]*Sum, len(list))
	for i := range list {
		m[list[i].Key] = &list[i].Sum
	}
	return m
}

func keyed(m map[Key]*Sum) []keyedSum {
	list := make([]keyedSum, 0, len(m))
	for key, s := range m {
		list = append(list, keyedSum{key, *s})
	}
	return list
}

// CheckSpace returns an error if a data set does not fit into a limit, 0 for none, or onto the disk
// of dir.
func CheckSpace(dir string, o Options, limit uint64) error {
	need := o.Bytes()
	if limit > 0 && need > limit {
		return fmt.Errorf("the data set may take %s on disk and the limit is %s: ask for fewer frames (--frames) or raise the limit (--disk-limit)",
			humanize.Bytes(need), humanize.Bytes(limit))
	}
	space, err := diskspace.Of(dir)
	if err != nil {
		return err
	}
	if space.Free < need {
		return fmt.Errorf("the data set may take %s on disk and %s has %s free: free disk space, ask for fewer "+
			"frames (--frames), or name another directory (--dir)",
			humanize.Bytes(need), dir, humanize.Bytes(space.Free))
	}
	return nil
}
