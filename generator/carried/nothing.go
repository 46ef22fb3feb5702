//go:build !carried

package carried

var archive []byte
