// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.util.Random;
import org.sunflow.SunflowAPI;
import org.sunflow.core.Display;
import org.sunflow.image.Color;
import org.sunflow.math.Matrix4;
import org.sunflow.math.Point3;
import org.sunflow.math.Vector3;
import org.sunflow.system.UI;
import org.sunflow.system.ui.SilentInterface;

/**
 * Sunflow: each operation renders one small image of glass and matt spheres. Sunflow starts its own threads for every
 * image and joins them at its end; the first argument says how many.
 */
public final class Sunflow {
    /** Takes the pixels and keeps a sum of them. */
    private static final class Sum implements Display {
        private double luminance;

        @Override public void imageBegin(int w, int h, int bucketSize) {}
        @Override public void imagePrepare(int x, int y, int w, int h, int id) {}
        @Override public synchronized void imageUpdate(int x, int y, int w, int h, Color[] data, float[] alpha) {
            for (Color c : data) {
                luminance += c.getLuminance();
            }
        }
        @Override public void imageFill(int x, int y, int w, int h, Color c, float alpha) {}
        @Override public void imageEnd() {}
    }

    private static SunflowAPI scene(int threads) {
        SunflowAPI api = new SunflowAPI();
        api.parameter("threads", threads);
        api.parameter("threads.lowPriority", false);
        api.parameter("resolutionX", 128);
        api.parameter("resolutionY", 128);
        api.parameter("aa.min", 0);
        api.parameter("aa.max", 0);
        api.parameter("depths.refraction", 4);
        api.parameter("bucket.size", 16);
        api.options(SunflowAPI.DEFAULT_OPTIONS);
        api.parameter("center", new Point3(4, -6, 8));
        api.parameter("radius", 1.5f);
        api.parameter("radiance", null, 30, 30, 30);
        api.parameter("samples", 4);
        api.light("lamp", "sphere");
        api.parameter("diffuse", null, 0.7f, 0.5f, 0.3f);
        api.shader("matt", "diffuse");
        api.parameter("eta", 1.5f);
        api.shader("glass", "glass");
        api.geometry("ball", "sphere");
        Random r = new Random(1);
        for (int i = 0; i < 40; i++) {
            api.parameter("transform", Matrix4.translation(r.nextFloat() * 8 - 4, r.nextFloat() * 8 - 4, r.nextFloat() * 4)
                .multiply(Matrix4.scale(0.3f + r.nextFloat() * 0.5f)));
            api.parameter("shaders", i % 4 == 0 ? "glass" : "matt");
            api.instance("ball" + i, "ball");
        }
        return api;
    }

    public static void main(String[] args) throws Exception {
        String threads = args.length > 0 ? args[0] : "4";
        String seconds = args.length > 1 ? args[1] : "10";
        UI.set(new SilentInterface());
        Load.run(new String[] {"1", seconds}, thread -> {
            SunflowAPI api = scene(Integer.parseInt(threads));
            return i -> {
                double angle = i * 0.1;
                Point3 eye = new Point3((float) (9 * Math.cos(angle)), (float) (9 * Math.sin(angle)), 4);
                api.parameter("transform", Matrix4.lookAt(eye, new Point3(0, 0, 1), new Vector3(0, 0, 1)));
                api.parameter("fov", 50f);
                api.camera("eye", "pinhole");
                api.parameter("camera", "eye");
                api.options(SunflowAPI.DEFAULT_OPTIONS);
                Sum pixels = new Sum();
                api.render(SunflowAPI.DEFAULT_OPTIONS, pixels);
                if (pixels.luminance == 0) {
                    throw new IllegalStateException("black image");
                }
                return (long) pixels.luminance;
            };
        });
    }
}
