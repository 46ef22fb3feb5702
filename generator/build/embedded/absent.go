//go:build !embedded

package embedded

var archive []byte
