//go:build !js || cel

package cri

import (
	"path"
	"slices"
	"strings"
)

func init() {
	mountImage = (*Runtime).imageMount
	mountsImage = func(c *Container, image string) bool {
		return slices.ContainsFunc(c.Config.Mounts, func(m Mount) bool { return m.Image != "" && NormalizeImage(m.Image) == image })
	}
	rareImages = append(rareImages, &kitten)
}

// kitten is an image of upstream's end-to-end tests, without its picture. Upstream: test/images/kitten.
var kitten = Behaviour{
	Images: []string{"kitten"}, SizeBytes: 49642095, Cmd: []string{"test-webserver"}, Memory: 9 << 20, Ports: []int32{80}, Root: "/",
	Files: map[string]string{"/data.json": "{\n  \"image\": \"kitten.jpg\"\n}\n", "/etc/os-release": alpineRelease},
}

const alpineRelease = "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.21.0\nPRETTY_NAME=\"Alpine Linux v3.21\"\n"

// imageMount shows the files that are known of an image, or those of one of its directories. They cannot be written to: the mount is read-only.
// Upstream: containerd's internal/cri/server/container_image_mount.go, mutateImageMount and ensureImageSubPath.
func (r *Runtime) imageMount(sandboxID string, m Mount) (Mount, error) {
	if m.Image == "" {
		return m, nil
	}
	const failed = "failed to mount image volume: ImageVolumeMountFailed: "
	image := r.disk.image(NormalizeImage(m.Image))
	if image == nil {
		return m, &Error{"NotFound", failed + "failed to resolve image \"" + m.Image + "\": not found"}
	}
	_, digest, _ := strings.Cut(image.Ref, "@sha256:")
	target := "/run/containerd/io.containerd.grpc.v1.cri/image-volumes/" + sandboxID + "/" + digest
	dir := strings.Trim(path.Clean("/"+m.SubPath), "/")
	cannot := func(why string) (Mount, error) {
		return m, &Error{"Unknown", failed + "failed to ensure image subpath \"" + m.SubPath + "\" in \"" + target + "\": " + why}
	}
	out := NewVolume()
	for name, data := range lookup(m.Image).Files { // order: each is its own
		if name = strings.TrimPrefix(name, "/"); name == dir {
			return cannot("only directory subpath is supported, subpath: \"" + m.SubPath + "\", mountpoint: \"" + target + "\" ")
		}
		if inside, ok := strings.CutPrefix("/"+name, path.Join("/", dir)+"/"); ok || dir == "" {
			out.files[strings.TrimPrefix(inside, "/")] = data
		}
	}
	if dir != "" && len(out.files) == 0 {
		return cannot("openat " + m.SubPath + ": no such file or directory")
	}
	m.Volume, m.SubPath = out, ""
	return m, nil
}
