package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"tapedeck/internal/filelock"
)

// Place stores the files of an archive by name. Names have slashes.
type Place interface {
	// Open opens a file. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Put stores the file at path as a whole: a reader sees the old or the new content.
	Put(ctx context.Context, name, path string) error
	// Lock refuses a second run at the same time, as far as the place can.
	Lock() (unlock func(), err error)
}

// Directory returns a place in a directory, which is made if needed.
func Directory(root string) Place { return directory(root) }

type directory string

func (d directory) path(name string) string {
	return filepath.Join(string(d), filepath.FromSlash(name))
}

// Open implements Place.
func (d directory) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(d.path(name))
}

// Put implements Place. The content is on the disk before the name is.
func (d directory) Put(_ context.Context, name, path string) (err error) {
	to := d.path(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".tapedeck-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	_, err = io.Copy(out, from)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

// Lock implements Place.
func (d directory) Lock() (func(), error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return nil, err
	}
	file, err := filelock.Take(d.path(".lock"))
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, fmt.Errorf("another \"tapedeck archive\" writes to %s: wait for its end", string(d))
	case err != nil:
		return nil, fmt.Errorf("lock the archive: %w", err)
	}
	return func() { file.Close() }, nil
}

// Bucket returns a place in a bucket of an S3-compatible storage: address is https://HOST/BUCKET/PREFIX. Without
// a key id, the credentials are those of the machine's environment.
func Bucket(address, keyID, secret string) (Place, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return nil, errors.New("the address of the bucket must be https://HOST/BUCKET/PREFIX, without a user")
	}
	name, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if u.Host == "" || name == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of the bucket must be https://HOST/BUCKET/PREFIX, without a query")
	}
	key := credentials.NewStaticV4(keyID, secret, "")
	if keyID == "" {
		key = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}})
	}
	client, err := minio.New(u.Host, &minio.Options{Creds: key, Secure: u.Scheme == "https", BucketLookup: minio.BucketLookupPath})
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		prefix += "/"
	}
	return &bucket{client, name, prefix}, nil
}

type bucket struct {
	client       *minio.Client
	name, prefix string
}

// Open implements Place.
func (b *bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	if _, err := object.Stat(); err != nil { // the first request
		object.Close()
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			return nil, fs.ErrNotExist
		}
		return nil, err
	}
	return object, nil
}

// Put implements Place. The storage checks the content by its checksum.
func (b *bucket) Put(ctx context.Context, name, path string) error {
	_, err := b.client.FPutObject(ctx, b.name, b.prefix+name, path, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	return err
}

// Lock implements Place. A bucket has no locks.
func (b *bucket) Lock() (func(), error) { return func() {}, nil }
