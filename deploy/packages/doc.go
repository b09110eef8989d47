// Package packages holds what makes the Debian packages. Its tests install them on a copy of
// this machine, and run the services under a systemd there.
package packages
