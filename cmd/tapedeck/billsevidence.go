package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/bills"
	"tapedeck/replay/tapefile"
)

// evidence writes a bill with all that it was made of:
//
//	bill.json        the bill
//	rows.csv         its rows; the SHA-256 of this file is rows_hash
//	lines.csv        the lines of the invoice
//	prices.json      the effective price table; the SHA-256 of this file is prices_hash
//	sessions.csv     the sessions of the rows and the tapes that have their frames
//	tapes/*.tape     the frames
//	SHA256SUMS       of all files
type evidence struct {
	client *apiclient.Client
	bill   bills.Bill
	path   string // of the bill's routes
	files  files
	sums   []string
}

// files takes files one after the other.
type files interface {
	create(name string) (io.Writer, error)
	close() error
}

// writeEvidence writes the evidence of a bill to a directory or an archive.
func (c *billsExport) writeEvidence(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "")
	if err != nil {
		return err
	}
	if c.Dir == "" || c.Period != "" {
		return usage.Errorf("name a bill and the directory to write: tapedeck bills export INV-000001 evidence --evidence")
	}
	e := &evidence{path: path}
	if e.client, err = g.client(); err != nil {
		return err
	}
	e.client.HTTP = &http.Client{} // no timeout: bills and tapes may be large
	if err := e.client.Get(ctx, path, nil, &e.bill); err != nil {
		return err
	}
	if e.files, err = newFiles(c.Dir, c.Force); err != nil {
		return err
	}
	missing, err := e.write(ctx)
	if err = errors.Join(err, e.files.close()); err != nil {
		return fmt.Errorf("write the evidence of bill %s to %s: %w", c.Number, c.Dir, err)
	}
	fmt.Fprintf(console.To(os.Stderr), "wrote %s: bill %s, %s, %s\n", c.Dir, c.Number, console.Count(e.bill.Rows, "row"), console.Count(len(e.sums), "file"))
	if missing > 0 {
		fmt.Fprintf(os.Stderr, "%s of the bill are not stored any more: sessions.csv names them\n", console.Count(missing, "session"))
	}
	return nil
}

func (e *evidence) write(ctx context.Context) (missing int, err error) {
	text, err := json.MarshalIndent(&e.bill, "", "  ")
	if err != nil {
		return 0, err
	}
	if err := e.add("bill.json", func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err }); err != nil {
		return 0, err
	}
	sessions := newSessionColumn()
	err = e.add("rows.csv", func(w io.Writer) error {
		err := e.client.Copy(ctx, e.path+"/rows", map[string][]string{"format": {"csv"}}, "text/csv", io.MultiWriter(w, sessions))
		return errors.Join(err, sessions.end())
	})
	if err != nil {
		return 0, err
	}
	if err := e.check("rows.csv", e.bill.RowsHash); err != nil {
		return 0, err
	}
	if err := e.add("lines.csv", e.lines); err != nil {
		return 0, err
	}
	err = e.add("prices.json", func(w io.Writer) error { return e.client.Copy(ctx, e.path+"/prices", nil, "application/json", w) })
	if err == nil {
		err = e.check("prices.json", e.bill.PricesHash)
	}
	if err != nil {
		return 0, err
	}
	if missing, err = e.tapes(ctx, sessions.list()); err != nil {
		return 0, err
	}
	sums := e.sums
	return missing, e.add("SHA256SUMS", func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(sums, ""))
		return err
	})
}

// add writes a file and notes its SHA-256.
func (e *evidence) add(name string, write func(io.Writer) error) error {
	w, err := e.files.create(name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := write(io.MultiWriter(w, sum)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.sums = append(e.sums, sumLine(sum, name))
	return nil
}

func sumLine(sum hash.Hash, name string) string {
	return hex.EncodeToString(sum.Sum(nil)) + "  " + name + "\n"
}

// check fails if the file that was written last has another SHA-256 than the bill states.
func (e *evidence) check(name, want string) error {
	if got, _, _ := strings.Cut(e.sums[len(e.sums)-1], " "); got != want {
		return fmt.Errorf("%s has the SHA-256 %s, the bill states %s: run \"tapedeck bills verify %s\"", name, got, want, e.bill.Number)
	}
	return nil
}

func (e *evidence) lines(w io.Writer) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	rows := [][]string{{"class", "charge_period", "provider", "model", "unit", "quantity", "rows", "cost", "amount", "currency", "unpriced"}}
	for i := range e.bill.Lines {
		l := &e.bill.Lines[i]
		rows = append(rows, []string{
			string(l.Class), l.Period, l.Provider, l.Model, l.Unit, l.Quantity.String(), strconv.FormatUint(l.Rows, 10),
			l.Cost.String(), l.Amount.StringFixed(e.bill.MinorUnits), e.bill.Currency, strconv.FormatBool(l.Unpriced),
		})
	}
	return c.WriteAll(rows)
}

// tapes writes a tape of each session, under a name made of the hash of the session's id,
// which may have any characters.
func (e *evidence) tapes(ctx context.Context, sessions []string) (missing int, err error) {
	done := 0
	p := console.ShowProgress(func() string { return fmt.Sprintf("%d of %d tapes written", done, len(sessions)) })
	defer p.End()
	rows := [][]string{{"session_id", "tape", "detail"}}
	for _, id := range sessions {
		sum := sha256.Sum256([]byte(id))
		name, detail := "tapes/"+hex.EncodeToString(sum[:16])+".tape", ""
		body, err := e.client.Open(ctx, http.MethodGet, apiclient.SessionPath(id, "tape"), nil, tapefile.MediaType)
		var refused *apiclient.Error
		switch {
		case errors.As(err, &refused) && refused.Status == http.StatusNotFound:
			name, detail = "", "the session is not stored any more"
			missing++
		case err != nil:
			return missing, err
		default:
			err := e.add(name, func(w io.Writer) error { _, err := io.Copy(w, body); return err })
			if err = errors.Join(err, body.Close()); err != nil {
				return missing, err
			}
		}
		rows = append(rows, []string{id, name, detail})
		done++
	}
	return missing, e.add("sessions.csv", func(w io.Writer) error {
		c := csv.NewWriter(w)
		c.UseCRLF = true
		return c.WriteAll(rows)
	})
}

// sessionColumn collects the sessions of rows as CSV that are written to it.
type sessionColumn struct {
	in   *io.PipeWriter
	done chan error
	ids  map[string]bool
}

func newSessionColumn() *sessionColumn {
	r, w := io.Pipe()
	s := &sessionColumn{in: w, done: make(chan error, 1), ids: map[string]bool{}}
	column := slices.Index(bills.Columns, "session_id")
	go func() {
		c := csv.NewReader(r)
		c.ReuseRecord = true
		_, err := c.Read() // the head
		for err == nil {
			var row []string
			if row, err = c.Read(); err == nil {
				s.ids[string(bytes.Clone([]byte(row[column])))] = true
			}
		}
		if err == io.EOF {
			err = nil
		}
		_, _ = io.Copy(io.Discard, r) // so that the writer does not wait
		s.done <- err
	}()
	return s
}

func (s *sessionColumn) Write(p []byte) (int, error) { return s.in.Write(p) }

// end waits until all that was written is read.
func (s *sessionColumn) end() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	return <-s.done
}

// list returns the sessions in order. It must come after end.
func (s *sessionColumn) list() []string {
	list := make([]string, 0, len(s.ids))
	for id := range s.ids {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// newFiles writes to a directory, or to an archive if its name ends in .zip.
func newFiles(to string, force bool) (files, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if !strings.HasSuffix(to, ".zip") {
		return &directory{path: to, flags: flags}, nil
	}
	f, err := os.OpenFile(to, flags, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already: name another file, or write over it with --force", to)
	}
	if err != nil {
		return nil, err
	}
	return &archive{zip.NewWriter(f), f}, nil
}

// directory writes files below a directory.
type directory struct {
	path  string
	flags int
	open  *os.File // the file that is written
}

func (d *directory) create(name string) (io.Writer, error) {
	if err := d.close(); err != nil {
		return nil, err
	}
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, d.flags, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already: name another directory, or write over it with --force", path)
	}
	d.open = f
	return f, err
}

func (d *directory) close() error {
	if d.open == nil {
		return nil
	}
	err := d.open.Close()
	d.open = nil
	return err
}

// archive writes files to a ZIP archive.
type archive struct {
	zip  *zip.Writer
	file *os.File
}

func (a *archive) create(name string) (io.Writer, error) { return a.zip.Create(name) }

func (a *archive) close() error { return errors.Join(a.zip.Close(), a.file.Close()) }
