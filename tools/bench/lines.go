package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ClickHouse/ch-go/proto"
)

// This file reads the file of frames without tapedeck's code.

// size counts a file's lines and bytes.
func size(path string) (lines, bytes uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := in.ReadSlice('\n')
		bytes += uint64(len(line))
		switch {
		case err == nil:
			lines++
		case errors.Is(err, bufio.ErrBufferFull): // a part of a long line
		case errors.Is(err, io.EOF):
			if lines == 0 {
				return 0, 0, fmt.Errorf("%s holds no frames", path)
			}
			return lines, bytes, nil
		default:
			return 0, 0, err
		}
	}
}

// readLines reads a file's lines into batches.
func readLines(path string) ([]*proto.ColStr, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var batches []*proto.ColStr
	for line := range bytes.Lines(data) {
		last := len(batches) - 1
		if last < 0 || batches[last].Rows() == batchRows {
			batches = append(batches, &proto.ColStr{})
			last++
		}
		batches[last].AppendBytes(bytes.TrimRight(line, "\r\n"))
	}
	return batches, nil
}

// copyLines copies the first n lines of a file, and returns their number.
func copyLines(to, from string, n int) (lines uint64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriter(out)
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20)
	for lines < uint64(n) && s.Scan() {
		if _, err := w.Write(append(s.Bytes(), '\n')); err != nil {
			return lines, err
		}
		lines++
	}
	return lines, errors.Join(s.Err(), w.Flush())
}

// head returns the complete lines within the first size bytes of a file.
func head(path string, size int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(size)))
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		data = data[:i+1]
	}
	return data, err
}
