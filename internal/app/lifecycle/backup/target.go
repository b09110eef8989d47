package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Keys identify the user of an S3-compatible storage. If ID is empty, ClickHouse uses the
// credentials in its own configuration or environment.
type Keys struct {
	ID     string `json:"key_id"`
	Secret string `json:"secret"`
}

// Target is the place of a backup.
type Target struct {
	// Name is the place in the form in which the user states it, without secrets.
	Name string
	sql  string // expression for BACKUP and RESTORE; contains secrets
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
		return Target{}, fmt.Errorf(
			"place of a backup %q: it has a control character: use letters, digits, dots and dashes", text,
		)
	}
	if i := slices.IndexFunc(archives, func(ending string) bool { return strings.HasSuffix(text, ending) }); i >= 0 {
		return Target{}, fmt.Errorf("place of a backup %q: ClickHouse writes an archive to names that end in "+
			"%s, which cannot be checked: leave the ending out", text, archives[i])
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return parseS3(text, keys)
	}
	if scheme, _, is := strings.Cut(text, "://"); is {
		return Target{}, fmt.Errorf("place of a backup %q: %s:// is unknown; name a directory, disk:DISK/NAME, "+
			"or the https:// address of a bucket of an S3-compatible storage", text, scheme)
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

// archives are the file name suffixes for which ClickHouse writes archives.
var archives = []string{".zip", ".zipx", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".tzst", ".tar.zst",
	".tar.zstd", ".txz", ".tar.xz", ".tlzma", ".tar.lzma"}

// Maximum lengths of a name, bytes: of each directory in the name, which file systems limit, and of
// the whole name.
const (
	mostDirectory = 255
	mostName      = 1000
)

// checkName refuses names that lead out of the directory of backups, and names that are not valid
// for a directory.
func checkName(name string) error {
	if name == "" {
		return errors.New("the name is empty: name the backup, like 2026-11-23")
	}
	for directory := range strings.SplitSeq(name, "/") {
		if len(directory) > mostDirectory || len(name) > mostName {
			return fmt.Errorf("the name is too long: %d bytes at most between two slashes, and %d in all",
				mostDirectory, mostName)
		}
	}
	if path.IsAbs(name) || path.Clean(name) != name || name == ".." || name == "." || strings.HasPrefix(name, "../") {
		return errors.New(
			"it must be a name inside ClickHouse's directory of backups, like 2026-11-23 or daily/monday, " +
				"without .. and not from the root",
		)
	}
	return nil
}

func parseS3(text string, keys Keys) (Target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Target{}, errors.New("the address of the backup is not a URL") // the text may contain a secret
	}
	if u.User != nil {
		return Target{}, errors.New(
			"the address of the backup has a user: put the key into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		)
	}
	if u.RawQuery != "" || u.Fragment != "" || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return Target{}, fmt.Errorf(
			"place of a backup %q: it must be https://HOST/BUCKET/PREFIX or https://BUCKET.HOST/PREFIX without a query",
			text,
		)
	}
	if err := checkHost(u.Hostname()); err != nil {
		return Target{}, fmt.Errorf("place of a backup %q: %w", text, err)
	}
	if (keys.ID == "") != (keys.Secret == "") {
		return Target{}, errors.New(
			"one half of the S3 key is missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither",
		)
	}
	t := Target{Name: text, sql: "S3(" + quote(text) + ")", s3: true}
	if keys.ID != "" {
		t.sql = "S3(" + quote(text) + ", " + quote(keys.ID) + ", " + quote(keys.Secret) + ")"
	}
	return t, nil
}

// numericHost matches hosts that are numbers: resolvers accept more forms of addresses than netip.
var numericHost = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)(\.(0[xX][0-9a-fA-F]*|[0-9]+))*\.?$`)

// metadataHosts are names and addresses, outside of link-local networks, of services from which
// cloud machines get their credentials.
var metadataHosts = []string{
	"metadata", "metadata.google.internal", "instance-data", "fd00:ec2::254", "100.100.100.200", "168.63.129.16",
}

// checkHost refuses hosts that are not a storage but a metadata service, which returns credentials
// of this machine to any caller. A storage may be on this machine or in a private network.
func checkHost(host string) error {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	address, err := netip.ParseAddr(host)
	if err != nil && numericHost.MatchString(host) {
		return fmt.Errorf("%s is not an address in its usual form: write it as four numbers with dots, or as a name", host)
	}
	if err == nil {
		address = address.WithZone("").Unmap()
		host = address.String()
	}
	if slices.Contains(metadataHosts, host) ||
		err == nil && (address.IsLinkLocalUnicast() || address.IsMulticast() || address.IsUnspecified()) {
		return fmt.Errorf("%s is not the address of a storage: name the host of an S3-compatible storage", host)
	}
	return nil
}

// checkLinks refuses a place below a symbolic link on this machine. ClickHouse would follow the
// link out of the directory that it may write to, and Prune would not find the backup.
func (t Target) checkLinks(dir string) error {
	if dir == "" || t.dir == "" {
		return nil
	}
	at := dir
	for name := range strings.SplitSeq(t.dir, "/") {
		at = filepath.Join(at, name)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("the backup %s is behind the symbolic link %s: keep backups in directories of "+
				"their own, or name the other place by --backups", t.Name, at)
		}
	}
	return nil
}

// checkInside refuses a place inside another backup, since Prune would remove both together.
func (t Target) checkInside(dir string) error {
	if dir == "" || t.dir == "" {
		return nil
	}
	for outer := path.Dir(t.dir); outer != "."; outer = path.Dir(outer) {
		if _, err := os.Lstat(filepath.Join(dir, outer, listFile)); err == nil {
			return fmt.Errorf("the place %s is inside the backup %s: choose a name beside it", t.Name, outer)
		}
	}
	return nil
}

// CheckThere returns an error if the directory of backups lacks a complete backup of that name. A
// place elsewhere, or without a directory on this machine, is not checked.
func (t Target) CheckThere(dir string) error {
	if dir == "" || t.dir == "" {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, t.dir, listFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("read the backup %s: %w", t.Name, missing(t.Name))
}

// checkFree returns an error if the directory of backups has a complete backup of that name. A place
// elsewhere is not checked.
func (t Target) checkFree(dir string) error {
	if dir == "" || t.dir == "" {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, t.dir, listFile)); err != nil {
		return nil
	}
	return fmt.Errorf("write the backup %s: %w", t.Name, errTaken)
}

// quote returns a string literal of SQL.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// identifier returns a quoted name of SQL.
func identifier(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}
