//go:build !js || cel

package pattern

import "regexp"

func init() {
	matches = func(pattern, text string) bool {
		re, err := regexp.Compile(pattern)
		return err == nil && re.MatchString(text)
	}
}
