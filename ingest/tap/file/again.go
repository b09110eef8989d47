package file

import (
	"fmt"
	"io"
	"os"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// reread reads the stream again from its beginning, in the same reads as the previous process. The
// decoder then has the same state, and the frames after the checkpoint have the same times. reread
// reports whether that was possible: the whole stream must be in one file that still exists.
func (f *follower) reread(cp *checkpoint, t schema.Transport, resume *ingest.Resume) (bool, error) {
	if cp.Origin == nil || len(cp.Files) != 1 || cp.Files[0].identity != cp.Origin.identity {
		return false, nil
	}
	j, reads, err := openJournal(f.store.journalPath())
	if j == nil || err != nil {
		return false, err
	}
	file, h, err := f.find(&cp.Files[0])
	if err != nil || file == nil || !covers(reads, cp, file) {
		j.close()
		if file != nil {
			file.Close()
		}
		return false, err
	}
	resume.Again = true
	if err := f.open(t, resume); err != nil {
		j.close()
		file.Close()
		return false, err
	}
	f.current, f.origin = file, cp.Origin.Offset
	f.enter(cp.Origin.identity, h, cp.Origin.Offset)
	f.journal = j
	if err := f.rereadFile(file, reads); err != nil {
		return false, err
	}
	f.offsets.Durable(cp.NextSeq)
	return true, nil
}

// covers reports whether the reads reach the durable offset, and the file is at least as long as
// the reads.
func covers(reads []read, cp *checkpoint, file *os.File) bool {
	end := int64(0)
	if len(reads) > 0 {
		end = reads[len(reads)-1].end
	}
	info, err := file.Stat()
	return err == nil && cp.Origin.Offset+end >= cp.Files[0].Offset && info.Size() >= cp.Origin.Offset+end
}

// rereadFile reads the file again in the reads of the journal.
func (f *follower) rereadFile(file *os.File, reads []read) error {
	buf := make([]byte, readSize)
	for _, r := range reads {
		p := buf[:r.end-f.total]
		if _, err := file.ReadAt(p, f.offset); err != nil {
			if err == io.EOF {
				err = fmt.Errorf("it is shorter than the bytes that were read from it")
			}
			return fmt.Errorf("read %s again from byte %d: %w", f.path, f.offset, err)
		}
		f.offset += int64(len(p))
		if err := f.split(p, r.at); err != nil {
			return err
		}
	}
	return nil
}
