package sessionhtml

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"strings"
	"text/template"

	"tapedeck/dashboards"
)

var (
	//go:embed page.html
	pageText string
	page     = template.Must(template.New("page").Parse(pageText))
	// loader is the script that adds the styles and the player to the page.
	//
	//go:embed loader.js
	loader string
)

// Write writes the file. The browser runs only the two scripts whose hashes the file states, and loads
// nothing.
func Write(w io.Writer, r *Recording, version string) error {
	recording, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the recording: %w", err)
	}
	text, err := compressed(recording)
	if err != nil {
		return err
	}
	return writePage(w, values{Version: version, Title: r.title, Recording: text})
}

// ErrNoPlayer is the error of a program that was built without its pages.
var ErrNoPlayer = errors.New("this program was built without its pages, and has no player")

// values are those of the page's template.
type values struct {
	Hashes, Version, Title, Style, Player, Licences, Recording, Loader string
	Plain                                                              bool // Recording is JSON that is escaped for HTML
}

// writePage writes the page with the player. v has the version, the title and the recording.
func writePage(w io.Writer, v values) error {
	player, err := dashboards.FilePlayer()
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoPlayer
	}
	if err != nil {
		return err
	}
	v.Hashes, v.Loader = hash(loader)+" "+hash(string(player.Script)), loader
	v.Version, v.Title = html.EscapeString(v.Version), html.EscapeString(v.Title)
	for _, part := range []struct {
		to   *string
		text []byte
	}{{&v.Style, player.Style}, {&v.Player, player.Script}, {&v.Licences, player.Licences}} {
		if *part.to, err = compressed(part.text); err != nil {
			return err
		}
	}
	return page.Execute(w, v)
}

// hash returns the source of a content security policy that allows an inline script.
func hash(script string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(script, "\r\n", "\n")))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// compressed returns a text as gzip in base 85, which is shorter than base 64: four bytes are five digits from
// '!' on, of which the two that mean something in HTML are replaced. Digits that do not fill the last five are
// left out, as in encoding/ascii85, but zeros have no short form.
func compressed(text []byte) (string, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	digits := make([]byte, ascii85.MaxEncodedLen(b.Len()))
	digits = digits[:ascii85.Encode(digits, b.Bytes())]
	return inHTML.Replace(string(digits)), err
}

var inHTML = strings.NewReplacer("<", "v", "&", "w", "z", "!!!!!")
