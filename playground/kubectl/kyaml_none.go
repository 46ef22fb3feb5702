//go:build js && !cel

package kubectl

// KYAML is in the larger build alone: see knownOutput.
func kyamlText(any) string { return "" }

func kyamlValue(any, int) string { return "" }
