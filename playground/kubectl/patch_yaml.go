//go:build !js || cel

package kubectl

import "kubewalk/playground/api/yaml"

func init() { patchInYAML = yaml.ToJSON }
