package jakarta.annotation;

/** As generated code names it; it does nothing. */
public @interface Generated {
  String[] value();

  String date() default "";

  String comments() default "";
}
