// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.util.Random;
import org.apache.batik.transcoder.SVGAbstractTranscoder;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.PNGTranscoder;

/** Batik: each operation rasterises a generated drawing of circles, curves and gradients to a PNG image in memory. */
public final class Batik {
    private static String drawing(long seed) {
        Random r = new Random(seed);
        StringBuilder b = new StringBuilder("<svg xmlns='http://www.w3.org/2000/svg' width='300' height='300'><defs>"
            + "<radialGradient id='g'><stop offset='0' stop-color='#fff'/><stop offset='1' stop-color='#258'/>"
            + "</radialGradient></defs>");
        for (int i = 0; i < 60; i++) {
            b.append("<circle cx='").append(r.nextInt(300)).append("' cy='").append(r.nextInt(300)).append("' r='")
                .append(5 + r.nextInt(50)).append("' fill='url(#g)' opacity='0.6'/>");
            b.append("<path fill='none' stroke-width='").append(1 + r.nextInt(4)).append("' stroke='#")
                .append(String.format("%06x", r.nextInt(1 << 24))).append("' d='M").append(r.nextInt(300)).append(' ')
                .append(r.nextInt(300));
            for (int k = 0; k < 4; k++) {
                b.append(" Q").append(r.nextInt(300)).append(' ').append(r.nextInt(300)).append(' ')
                    .append(r.nextInt(300)).append(' ').append(r.nextInt(300));
            }
            b.append("'/>");
        }
        return b.append("</svg>").toString();
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("java.awt.headless", "true");
        Load.run(args, thread -> {
            String svg = drawing(thread);
            return i -> {
                PNGTranscoder transcoder = new PNGTranscoder();
                transcoder.addTranscodingHint(SVGAbstractTranscoder.KEY_WIDTH, 200f + i % 5 * 20);
                ByteArrayOutputStream png = new ByteArrayOutputStream();
                transcoder.transcode(new TranscoderInput(new StringReader(svg)), new TranscoderOutput(png));
                return png.size();
            };
        });
    }
}
