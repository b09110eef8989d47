package settings

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxFile is the maximum size of a configuration file, bytes.
const maxFile = 1 << 20

// fileText returns the text of a configuration file. It does not wait for a pipe's writer, and
// reads little more than maxFile bytes; a larger file is an error.
func fileText(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", unreadable(path, err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("--config %s: it is a pipe, and servers read their settings more than once; write them into a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("--config: %w", unreadable(path, err))
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("--config %s: the file is larger than %s", path, Size(maxFile))
	}
	return text, nil
}
