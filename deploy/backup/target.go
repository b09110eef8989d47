package backup

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"
)

// Keys identify the user of an S3-compatible storage. Without an ID ClickHouse uses the
// credentials that its own configuration or environment has.
type Keys struct {
	ID     string `json:"key_id"`
	Secret string `json:"secret"`
}

// Target is where a backup is.
type Target struct {
	// Name is what the user calls it, without secrets.
	Name string
	sql  string // with secrets
	dir  string // below the directory of backups; "" if it is elsewhere
	s3   bool
}

// ParseTarget parses the place of a backup:
//
//	NAME              a directory below ClickHouse's backups.allowed_path
//	disk:DISK/NAME    a directory on a disk of ClickHouse's backups.allowed_disk
//	https://HOST/...  a prefix in a bucket of an S3-compatible storage
func ParseTarget(text string, keys Keys) (Target, error) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return Target{}, fmt.Errorf("place of a backup %q: it has a control character", text)
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return parseS3(text, keys)
	}
	if scheme, _, is := strings.Cut(text, "://"); is {
		return Target{}, fmt.Errorf("place of a backup %q: %s:// is unknown; name a directory, disk:DISK/NAME, or the https:// address of a bucket of an S3-compatible storage", text, scheme)
	}
	if rest, is := strings.CutPrefix(text, "disk:"); is {
		disk, name, _ := strings.Cut(rest, "/")
		if disk == "" {
			return Target{}, fmt.Errorf("place of a backup %q: it must be disk:DISK/NAME", text)
		}
		if err := checkName(name); err != nil {
			return Target{}, fmt.Errorf("place of a backup %q: %w", text, err)
		}
		return Target{Name: text, sql: "Disk(" + quote(disk) + ", " + quote(name) + ")"}, nil
	}
	if err := checkName(text); err != nil {
		return Target{}, fmt.Errorf("place of a backup %q: %w", text, err)
	}
	return Target{Name: text, dir: text, sql: "File(" + quote(text) + ")"}, nil
}

// checkName refuses names that lead out of the directory of backups.
func checkName(name string) error {
	if name == "" {
		return errors.New("the name is empty")
	}
	if path.IsAbs(name) || path.Clean(name) != name || name == ".." || name == "." || strings.HasPrefix(name, "../") {
		return errors.New("it must be a name inside ClickHouse's directory of backups, like 2026-11-23 or daily/monday, without .. and not from the root")
	}
	return nil
}

func parseS3(text string, keys Keys) (Target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Target{}, errors.New("the address of the backup is not a URL") // it may hold a secret
	}
	if u.User != nil {
		return Target{}, errors.New("the address of the backup has a user: put the key into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if u.RawQuery != "" || u.Fragment != "" || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return Target{}, fmt.Errorf("place of a backup %q: it must be https://HOST/BUCKET/PREFIX or https://BUCKET.HOST/PREFIX without a query", text)
	}
	if (keys.ID == "") != (keys.Secret == "") {
		return Target{}, errors.New("of the S3 key one half is missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither")
	}
	t := Target{Name: text, sql: "S3(" + quote(text) + ")", s3: true}
	if keys.ID != "" {
		t.sql = "S3(" + quote(text) + ", " + quote(keys.ID) + ", " + quote(keys.Secret) + ")"
	}
	return t, nil
}

// quote returns a string literal of SQL.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// identifier returns a quoted name of SQL.
func identifier(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}
