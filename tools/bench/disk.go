package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// Disk holds the size of the file under a slow, strong compressor, with which the size of the
// tables is compared.
type Disk struct {
	Frames uint64 `json:"frames,omitempty"` // frames that were compressed
	Zstd   uint64 `json:"zstd,omitempty"`   // their size under zstd -19, bytes
	Notice string `json:"notice,omitempty"` // why this was not measured
}

// FrameBytes returns the compressed bytes per frame.
func (d *Disk) FrameBytes() float64 { return float64(d.Zstd) / float64(d.Frames) }

// Multiple returns the size of the table frames as a multiple of the compressed file.
func (d *Disk) Multiple(s *Sink) float64 { return s.FrameBytes() / d.FrameBytes() }

func measureDisk(ctx context.Context, h *harness, r *Results) error {
	r.Disk = &Disk{Frames: h.frames}
	program, err := exec.LookPath("zstd")
	if err != nil {
		r.Disk.Notice = "the command zstd is not installed"
		return nil
	}
	path := h.path
	if h.Quick { // compressing takes long
		path = filepath.Join(h.Dir, "zstd.ndjson")
		if r.Disk.Frames, err = copyLines(path, h.path, 1000); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, program, "-19", "-T0", "-q", "-c", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	n, err := io.Copy(io.Discard, out)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("%s -19: %w", program, err)
	}
	r.Disk.Zstd = uint64(n)
	return nil
}
