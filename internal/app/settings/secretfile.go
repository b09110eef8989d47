package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/internal/commandline"
)

// maxSecret is the maximum size of a file with a secret, bytes.
const maxSecret = 1 << 20

// ReadSecret returns the content of a flag's file without surrounding white space.
func ReadSecret(flag, path string) (string, error) {
	secret, _, err := readSecret(flag, path)
	return secret, commandline.As(err)
}

// readSecret reads a secret from a file. name is the name of the setting. The warning says what to
// do about a file that every user can read. This is not an error, since container platforms mount
// secrets in this way.
func readSecret(name, path string) (secret, warning string, err error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", fmt.Errorf("%s: there is no file %s: write the secret into it, or name another one", name, path)
	case errors.Is(err, fs.ErrPermission):
		return "", "", fmt.Errorf("%s: this user must not read the file %s: let it read the file", name, path)
	case err != nil:
		return "", "", fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", "", fmt.Errorf("%s: %s is a directory: name a file in it", name, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", name, err)
	}
	secret = strings.TrimSpace(string(text))
	switch {
	case secret == "":
		return "", "", fmt.Errorf("%s: the file %s is empty; write the secret into it", name, path)
	case len(text) > maxSecret:
		return "", "", fmt.Errorf("%s: the file %s is larger than %s: name the file with the secret", name, path,
			Size(maxSecret))
	}
	return secret, exposed(name, f), nil
}

// mounted is the directory in which container platforms mount secrets. They are readable by all,
// since the container's user is not the owner, and in a file system that no other user sees.
const mounted = "/run/secrets/"

// exposed returns a warning about a file with a secret that other users can read or write.
func exposed(name string, f *os.File) string {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(filepath.Clean(f.Name()), mounted) {
		return ""
	}
	if mode := info.Mode().Perm(); mode&0o006 != 0 || mode&0o020 != 0 {
		return fmt.Sprintf("%s: other users can read or change the secret in %s (mode %04o): chmod 600 %s", name,
			f.Name(), mode, f.Name())
	}
	return ""
}

// secretFiles returns warnings about the files with secrets that settings name.
func secretFiles(named map[string]string) (list []string) {
	for name, path := range named {
		if path == "" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue // reported where the file is read
		}
		if text := exposed(name, f); text != "" {
			list = append(list, text)
		}
		f.Close()
	}
	return list
}
