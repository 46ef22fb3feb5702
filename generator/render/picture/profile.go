package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"io"
)

// profile is what an image's numbers mean as colours, if that is not sRGB: photographs of
// many telephones are in Display P3. What is made of the image has the same numbers, so
// it gets the same profile. It is not ok when it is broken, or not one of red, green
// and blue, which is what copies are in.
func profile(ext string, data []byte) (icc []byte, ok bool) {
	switch ext {
	case ".png":
		icc, ok = profileOfPNG(data)
	case ".webp":
		for name, body := range chunks(data) {
			if name == "ICCP" {
				icc = body
			}
		}
		ok = true
	default:
		icc, ok = profileOfJPEG(data)
	}
	switch {
	case !ok || icc == nil:
		return nil, ok
	case len(icc) < 128 || string(icc[36:40]) != "acsp" || string(icc[16:20]) != "RGB ": // ICC.1:2022, 7.2
		return nil, false
	case bytes.Contains(icc, []byte("sRGB")) || bytes.Contains(icc, []byte("s\x00R\x00G\x00B")):
		return nil, true
	}
	return icc, true
}

// largestProfile is more than any has that was not made to fill memory.
const largestProfile = 4 << 20

func profileOfPNG(data []byte) (icc []byte, ok bool) {
	for i := 8; i+12 <= len(data); {
		size := int(binary.BigEndian.Uint32(data[i:]))
		if size < 0 || i+12+size > len(data) {
			break
		}
		if string(data[i+4:i+8]) == "iCCP" {
			_, packed, found := bytes.Cut(data[i+8:i+8+size], []byte{0})
			if !found || len(packed) < 2 {
				return nil, false
			}
			unpacked, err := zlib.NewReader(bytes.NewReader(packed[1:])) // behind the method, of which there is one
			if err != nil {
				return nil, false
			}
			icc, err = io.ReadAll(io.LimitReader(unpacked, largestProfile))
			return icc, err == nil
		}
		i += 12 + size
	}
	return nil, true
}

// profileOfJPEG joins the parts that it is in (ICC.1:2022, B.4).
func profileOfJPEG(data []byte) (icc []byte, ok bool) {
	const mark = "ICC_PROFILE\x00"
	parts, total := 0, 0
	for i := 2; i+4 <= len(data) && data[i] == 0xff && data[i+1] != 0xda; {
		size := int(binary.BigEndian.Uint16(data[i+2:]))
		end := i + 2 + max(size, 2)
		if data[i+1] == 0xe2 && end <= len(data) && bytes.HasPrefix(data[i+4:end], []byte(mark)) && size >= 2+len(mark)+2 {
			part := data[i+4+len(mark) : end]
			if parts++; int(part[0]) != parts {
				return nil, false
			}
			total = int(part[1])
			icc = append(icc, part[2:]...)
		}
		i = end
	}
	return icc, parts == total
}

// chunks calls yield for each part of a WebP.
func chunks(data []byte) func(yield func(name string, body []byte) bool) {
	return func(yield func(name string, body []byte) bool) {
		for i := 12; i+8 <= len(data); {
			size := int(binary.LittleEndian.Uint32(data[i+4:]))
			if size < 0 || i+8+size > len(data) || !yield(string(data[i:i+4]), data[i+8:i+8+size]) {
				return
			}
			i += 8 + size + size%2
		}
	}
}

// withProfile has an encoder's files hold a profile. Without room for one there is no file.
func withProfile(icc []byte, encode encoder) encoder {
	if icc == nil {
		return encode
	}
	return func(img *image.NRGBA) (string, []byte) {
		ext, data := encode(img)
		if ext != ".webp" {
			return ext, nil
		}
		// The extended format: what there is comes first, then the profile, then the image
		// (https://developers.google.com/speed/webp/docs/riff_container).
		const hasProfile, hasAlpha = 0x20, 0x10
		head := make([]byte, 10)
		if !img.Opaque() {
			head[0] = hasAlpha
		}
		var rest []byte
		for name, body := range chunks(data) {
			if name == "VP8X" {
				copy(head, body)
			} else {
				rest = appendChunk(rest, name, body)
			}
		}
		head[0] |= hasProfile
		for i, side := range []int{img.Rect.Dx() - 1, img.Rect.Dy() - 1} {
			head[4+3*i], head[5+3*i], head[6+3*i] = byte(side), byte(side>>8), byte(side>>16)
		}
		inside := append(appendChunk(appendChunk([]byte("WEBP"), "VP8X", head), "ICCP", icc), rest...)
		return ext, appendChunk(nil, "RIFF", inside)
	}
}

func appendChunk(out []byte, name string, body []byte) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, name...), uint32(len(body)))
	out = append(out, body...)
	if len(body)%2 == 1 {
		out = append(out, 0)
	}
	return out
}
