// Package docker holds the images and the compose file. Its tests check these files, and run
// the commands in them.
package docker
