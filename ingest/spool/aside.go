package spool

import (
	"fmt"
	"os"
)

// aside is the file of the parcels that the next publisher will never take.
// They were accepted, so they are kept, and tried once more at the next start,
// when the reason may be gone: a limit that was raised, for one. Others have
// passed them by then; their own order is not kept either.
type aside struct {
	file    *os.File // nil until there is one
	size    int64
	parcels int
}

func (r *aside) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// refuse sets a record aside. The limit does not hold for it: its copy in the
// queue is about to go.
func (st *store) refuse(rec *record) error {
	b := appendRecord(nil, rec)
	st.mu.Lock()
	defer st.mu.Unlock()
	r := &st.aside
	if r.file == nil {
		path := segmentPath(st.dir, st.number, refusedSuffix)
		f, err := createSegment(path)
		if err != nil {
			return fmt.Errorf("set a refused block aside: %w", err)
		}
		st.number++
		r.file, r.size = f, int64(len(segmentHead))
		st.bytes += r.size
	}
	_, err := r.file.WriteAt(b, r.size)
	if err == nil && st.sync {
		err = r.file.Sync()
	}
	if err != nil {
		// What stands behind the size is written over, or cut at the next start.
		return fmt.Errorf("set a refused block aside: %w", err)
	}
	r.size += int64(len(b))
	st.bytes += int64(len(b))
	r.parcels++
	return nil
}

// asideCount is how many parcels are set aside.
func (st *store) asideCount() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.aside.parcels
}
