//go:build !js || cel

package apiserver

import "kubewalk/playground/controlplane/apiserver/flowcontrol"

func init() { rareSystemObjects = flowcontrol.Bootstrap }
